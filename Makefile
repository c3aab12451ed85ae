# For people who work on the project. Users install with pip, which builds through CMakeLists.txt.

CORE := blinks_sim/core/libblinks_core.so
CFLAGS := -O3 -std=c11 -Wall -Wextra -Werror -fPIC -fno-semantic-interposition -pthread

.PHONY: core test sanitize lint types clean

core: $(CORE)

$(CORE): $(wildcard blinks_sim/core/*.c) $(wildcard blinks_sim/core/*.h) Makefile
	$(CC) $(CFLAGS) -shared -o $@.new $(filter %.c,$^) -lm
	mv $@.new $@

test: core
	PYTHONPATH=. pytest

# The same tests on a core that watches its own memory and arithmetic; leaves no library behind.
sanitize: SANITIZERS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
sanitize: preload = $(shell $(CC) -print-file-name=libasan.so)
sanitize: clean
	$(CC) $(CFLAGS) $(SANITIZERS) -shared -o $(CORE) $(wildcard blinks_sim/core/*.c) -lm
	LD_PRELOAD=$(preload) ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=. pytest -n auto tests/core tests/test_core_binding.py tests/test_table.py
	$(MAKE) clean

lint:
	ruff check
	ruff format --check

types:
	mypy

clean:
	rm -f $(CORE)

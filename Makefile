# For people who work on the project. Users install with pip, which builds through CMakeLists.txt.

CORE := blinks_sim/core/libblinks_core.so
CFLAGS := -O3 -std=c11 -Wall -Wextra -Werror -fPIC -fno-semantic-interposition -pthread

.PHONY: core test lint types clean

core: $(CORE)

$(CORE): $(wildcard blinks_sim/core/*.c) $(wildcard blinks_sim/core/*.h) Makefile
	$(CC) $(CFLAGS) -shared -o $@ $(filter %.c,$^) -lm

test: core
	PYTHONPATH=. pytest

lint:
	ruff check
	ruff format --check

types:
	mypy

clean:
	rm -f $(CORE)

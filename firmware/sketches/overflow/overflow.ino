// Shows: a stack that runs into the data. A click starts a recursion that ends only when it has overwritten the guard
// behind the data; the library notices before the next loop() and the tile blinks red four times, over and over.

extern byte __heap_start;   // where the data ends: a name of the linker

static void descend() __attribute__((noinline));

void setup() { setColor(GREEN); }

void loop() {
    if (buttonSingleClicked()) {
        noInterrupts();   // whose stack use is not predictable: this demo overwrites the guard and no more
        descend();
        interrupts();
    }
}

static void descend() {
    if (SP >= (word)&__heap_start - 1) {
        descend();
    }
    asm volatile("" ::: "memory");   // keeps the compiler from making a loop of it
}

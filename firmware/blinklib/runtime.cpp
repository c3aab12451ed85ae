// What compiled C++ classes with virtual functions refer to.

#include <stddef.h>

#include "bios_abi.h"

// A call of a pure virtual function: a bug of the sketch, shown as one of memory.
extern "C" void __cxa_pure_virtual() { bios_abend(4); }

// There is no heap: nothing can have been allocated. Virtual destructors refer to these all the same.
void operator delete(void *) {}
void operator delete(void *, size_t) {}

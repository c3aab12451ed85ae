/* The interpreter once more, counting: a copy of its own, so that the one that does not count pays nothing. */
#define BLINKS_PROFILE 1
#include "exec.c"

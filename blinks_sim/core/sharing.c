/* Decoded flash shared by tiles that hold the same bytes. Results do not depend on it: it is only where the decoded instructions lie. */
#include <stdlib.h>
#include <string.h>

#include "tile.h"

#define SETTLED 2u      /* looks after the flash last changed: a tile in the middle of programming itself is left alone */

static SharedCode *shared_code(SharedCodes *codes, const uint8_t *flash)
{
    SharedCode *entry;
    for (int i = 0; i < codes->count; i++)
        if (!memcmp(codes->entries[i]->flash, flash, BC_FLASH_BYTES))
            return codes->entries[i];
    if (codes->count == sizeof codes->entries / sizeof codes->entries[0] || !(entry = malloc(sizeof *entry)))
        return NULL;
    memcpy(entry->flash, flash, BC_FLASH_BYTES);
    for (uint32_t pc = 0; pc < FLASH_WORDS + 2; pc++)
        entry->code[pc] = avr_decode(flash, pc);
    codes->entries[codes->count++] = entry;
    return entry;
}

/* Let a tile whose flash has come to rest use the shared copy. Call between slices, for one tile at a time. */
void codes_share(SharedCodes *codes, bc_tile *t)
{
    const SharedCode *entry;
    if (t->code != t->own_code || t->rww_busy || t->code_age++ < SETTLED)
        return;
    entry = shared_code(codes, t->flash);
    if (entry)
        t->code = entry->code;
}

void codes_free(SharedCodes *codes)
{
    for (int i = 0; i < codes->count; i++)
        free(codes->entries[i]);
    codes->count = 0;
}

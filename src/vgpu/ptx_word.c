#include "vgpu/ptx_word.h"

#include <pthread.h>
#include <string.h>

static const char *const texts[PTX_W_COUNT] = {
    "?",
#define PTX_WORD(id, text) text,
#include "vgpu/ptx_word.def"
#undef PTX_WORD
};

enum { SLOTS = 2048 }; /* a power of two, well above the number of words */

static uint16_t slots[SLOTS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static uint32_t hash(const char *text, size_t size)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h ^ (h >> 15);
}

static void fill_slots(void)
{
    _Static_assert(PTX_W_COUNT * 2 < SLOTS, "the word table is too full");
    for (unsigned w = 1; w < PTX_W_COUNT; w++) {
        uint32_t at = hash(texts[w], strlen(texts[w])) % SLOTS;
        while (slots[at])
            at = (at + 1) % SLOTS;
        slots[at] = (uint16_t)w;
    }
}

enum ptx_word ptx_word_find(const char *text, size_t size)
{
    pthread_once(&slots_once, fill_slots);
    for (uint32_t at = hash(text, size) % SLOTS; slots[at]; at = (at + 1) % SLOTS) {
        const char *word = texts[slots[at]];
        if (strncmp(word, text, size) == 0 && !word[size])
            return (enum ptx_word)slots[at];
    }
    return PTX_W_NONE;
}

const char *ptx_word_text(enum ptx_word word)
{
    return texts[word];
}

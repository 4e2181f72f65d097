#include "floor.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The rule of ../bench/workload.py. A mistake here shows: the answers are compared with the peers'. */
static const char *const countries[] = {"NL", "DE", "FR", "SE", "PT"};
enum { COUNTRIES = 5, MINIMUM_AGE = 18, PERCENTAGE = 50, VARIANT_TOTAL = 1000, VARIANT_FIRST = 500 };
static const uint32_t variant_seed = 86028157;

typedef struct { uint64_t hash; const char *text; size_t size; } value;
typedef struct { uint64_t name; value text; double number; } attribute;
struct floor_user { value id; attribute attributes[3]; };

typedef struct {
    uint64_t hash;
    const char *key;
    size_t key_size, index;
    int kind;
    const char *payloads[2];
    uint64_t names[3];
    value countries[COUNTRIES], plan;
} slot;
struct floor_engine { size_t mask; slot *slots; size_t count; };

static _Thread_local uint64_t *cells;

static uint64_t hash_bytes(const char *bytes, size_t size)
{
    uint64_t hash = 0x9E3779B97F4A7C15u ^ size;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    uint64_t tail = 0;
    memcpy(&tail, bytes, size);
    hash = (hash ^ tail) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

static value make_value(const char *text)
{
    size_t size = strlen(text);
    return (value){hash_bytes(text, size), text, size};
}

static int same(const value *left, const value *right)
{
    return left->hash == right->hash && left->size == right->size && !memcmp(left->text, right->text, left->size);
}

static uint32_t rotate(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

/** MurmurHash3 x86 32 bit, as Austin Appleby published it. */
static uint32_t murmur3(const char *bytes, size_t size, uint32_t seed)
{
    uint32_t hash = seed, block;
    size_t left = size;
    for (; left >= 4; bytes += 4, left -= 4) {
        memcpy(&block, bytes, 4);
        hash ^= rotate(block * 0xcc9e2d51u, 15) * 0x1b873593u;
        hash = rotate(hash, 13) * 5 + 0xe6546b64u;
    }
    block = 0;
    memcpy(&block, bytes, left);
    hash ^= rotate(block * 0xcc9e2d51u, 15) * 0x1b873593u;
    hash ^= (uint32_t)size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static uint32_t bucket(const slot *flag, const value *id, uint32_t seed, uint32_t modulus)
{
    char text[256];
    if (flag->key_size + id->size + 1 > sizeof text) return 0;
    memcpy(text, flag->key, flag->key_size);
    text[flag->key_size] = ':';
    memcpy(text + flag->key_size + 1, id->text, id->size);
    return murmur3(text, flag->key_size + 1 + id->size, seed) % modulus + 1;
}

floor_engine *floor_new(const flag *flags, size_t count)
{
    size_t capacity = 16;
    while (capacity < count * 2) capacity *= 2;
    floor_engine *self = malloc(sizeof *self);
    *self = (floor_engine){capacity - 1, calloc(capacity, sizeof(slot)), count};
    for (size_t i = 0; i < count; i++) {
        value key = make_value(flags[i].key);
        slot made = {key.hash, key.text, key.size, i, flags[i].kind, {flags[i].payload_a, flags[i].payload_b},
                     {make_value("country").hash, make_value("plan").hash, make_value("age").hash}, {{0}}, make_value("pro")};
        for (int c = 0; c < COUNTRIES; c++) made.countries[c] = make_value(countries[c]);
        size_t at = key.hash & self->mask;
        while (self->slots[at].key) at = (at + 1) & self->mask;
        self->slots[at] = made;
    }
    return self;
}

floor_user *floor_user_new(const user *source)
{
    floor_user *self = malloc(sizeof *self);
    const char *names[3] = {"country", "plan", "age"}, *texts[3] = {source->country, source->plan, source->age};
    self->id = make_value(source->id);
    for (int i = 0; i < 3; i++)
        self->attributes[i] = (attribute){make_value(names[i]).hash, make_value(texts[i]), strtod(texts[i], NULL)};
    return self;
}

static const slot *find(const floor_engine *engine, const char *key)
{
    size_t size = strlen(key);
    uint64_t hash = hash_bytes(key, size);
    for (size_t at = hash & engine->mask; engine->slots[at].key; at = (at + 1) & engine->mask) {
        const slot *found = &engine->slots[at];
        if (found->hash == hash && found->key_size == size && !memcmp(found->key, key, size)) return found;
    }
    return NULL;
}

static const attribute *attribute_named(const floor_user *who, uint64_t name)
{
    for (int i = 0; i < 3; i++)
        if (who->attributes[i].name == name) return &who->attributes[i];
    return NULL;
}

int floor_empty(const floor_engine *engine, const char *key) { return engine != NULL && key != NULL; }

int floor_lookup(const floor_engine *engine, const char *key)
{
    const slot *flag = find(engine, key);
    return flag ? 1 : -1;
}

int floor_counted(floor_engine *engine, const char *key)
{
    const slot *flag = find(engine, key);
    if (!flag) return -1;
    if (__builtin_expect(!cells, 0)) cells = calloc(engine->count, sizeof *cells);
    cells[flag->index]++;
    return 1;
}

int floor_rule(const floor_engine *engine, const char *key, const floor_user *who)
{
    const slot *flag = find(engine, key);
    if (!flag) return -1;
    const attribute *country = attribute_named(who, flag->names[0]), *plan = attribute_named(who, flag->names[1]),
                    *age = attribute_named(who, flag->names[2]);
    int is_in = 0;
    for (int i = 0; country && i < COUNTRIES && !is_in; i++) is_in = same(&country->text, &flag->countries[i]);
    if (!is_in || !plan || !same(&plan->text, &flag->plan) || !age || age->number < MINIMUM_AGE) return 0;
    return bucket(flag, &who->id, 0, 100) <= PERCENTAGE;
}

const char *floor_variant(const floor_engine *engine, const char *key, const floor_user *who)
{
    const slot *flag = find(engine, key);
    if (!flag || !flag->payloads[0]) return NULL;
    return flag->payloads[bucket(flag, &who->id, variant_seed, VARIANT_TOTAL) > VARIANT_FIRST];
}

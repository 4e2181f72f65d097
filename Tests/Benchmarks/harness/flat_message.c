#include "flat_message.h"

#include <stdlib.h>
#include <string.h>

/* Written front to back: every table comes before what it points to, so all offsets are positive.
   Fields of ContextMessage: 0 toggle_name, 1 user_id, 8 properties, of 10; of PropertyEntry: 0 key, 1 value. */
enum { CAPACITY = 1024, FIELDS = 10, PROPERTIES = 3 };

static void put16(flat_message *self, uint16_t value) { memcpy(self->bytes + self->size, &value, 2), self->size += 2; }
static void put32(flat_message *self, uint32_t value) { memcpy(self->bytes + self->size, &value, 4), self->size += 4; }

/** Points the offset at `from` to the end of the message. */
static void point_here(flat_message *self, size_t from)
{
    uint32_t distance = (uint32_t)(self->size - from);
    memcpy(self->bytes + from, &distance, 4);
}

static void put_text(flat_message *self, size_t from, const char *text)
{
    size_t size = strlen(text);
    if (self->size + size + 8 > CAPACITY) die("flat message too long");
    point_here(self, from);
    put32(self, (uint32_t)size);
    memcpy(self->bytes + self->size, text, size + 1);
    self->size = (self->size + size + 1 + 3) & ~(size_t)3;
}

flat_message flat_message_new(const char *key, const user *who)
{
    flat_message self = {calloc(1, CAPACITY), 4};
    size_t table_layout = self.size;
    put16(&self, 4 + 2 * FIELDS);
    put16(&self, 16);
    for (int field = 0; field < FIELDS; field++)
        put16(&self, field == 0 ? 4 : field == 1 ? 8 : field == 8 ? 12 : 0);
    size_t entry_layout = self.size;
    put16(&self, 8), put16(&self, 12), put16(&self, 4), put16(&self, 8);

    size_t table = self.size;
    point_here(&self, 0);
    put32(&self, (uint32_t)(table - table_layout));
    self.size += 12;
    put_text(&self, table + 4, key);
    put_text(&self, table + 8, who->id);
    point_here(&self, table + 12);
    put32(&self, PROPERTIES);
    size_t entries = self.size;
    self.size += 4 * PROPERTIES;
    const char *names[PROPERTIES] = {"age", "country", "plan"}; /* sorted: the schema looks keys up */
    const char *values[PROPERTIES] = {who->age, who->country, who->plan};
    for (int i = 0; i < PROPERTIES; i++) {
        point_here(&self, entries + 4 * (size_t)i);
        size_t entry = self.size;
        put32(&self, (uint32_t)(entry - entry_layout));
        self.size += 8;
        put_text(&self, entry + 4, names[i]);
        put_text(&self, entry + 8, values[i]);
    }
    self.bytes = realloc(self.bytes, self.size); /* many are made: they should not crowd the cache */
    return self;
}

const uint8_t *flat_field(const uint8_t *bytes, size_t size, unsigned index)
{
    uint32_t table;
    int32_t back;
    uint16_t layout_size, offset;
    if (!bytes || size < 8) return NULL;
    memcpy(&table, bytes, 4);
    memcpy(&back, bytes + table, 4);
    const uint8_t *layout = bytes + table - back;
    memcpy(&layout_size, layout, 2);
    if (4 + 2 * index + 2 > layout_size) return NULL;
    memcpy(&offset, layout + 4 + 2 * index, 2);
    return offset ? bytes + table + offset : NULL;
}

const char *flat_text(const uint8_t *bytes, size_t size, unsigned index)
{
    const uint8_t *field = flat_field(bytes, size, index);
    if (!field) return NULL;
    uint32_t distance;
    memcpy(&distance, field, 4);
    return (const char *)field + distance + 4;
}

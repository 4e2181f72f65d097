/** @file The FlatBuffers message of yggdrasil's flat_check_* calls, and the fields of its answer. */
#ifndef FLAT_MESSAGE_H
#define FLAT_MESSAGE_H

#include "workload.h"

#include <stdint.h>

typedef struct { uint8_t *bytes; size_t size; } flat_message;

/** A ContextMessage with toggle name, user id and the three properties. */
flat_message flat_message_new(const char *key, const user *who);

/** Address of a field of the root table, NULL when it has its default. */
const uint8_t *flat_field(const uint8_t *bytes, size_t size, unsigned index);
/** As flat_field(), for a text (NUL-terminated in the message). */
const char *flat_text(const uint8_t *bytes, size_t size, unsigned index);

#endif

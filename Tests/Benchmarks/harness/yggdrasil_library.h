/** @file The C interface of the yggdrasil-engine wheel, as its Python wrapper and its flat binding declare it. */
#ifndef YGGDRASIL_LIBRARY_H
#define YGGDRASIL_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

typedef struct { uint8_t *bytes; size_t size, capacity; } yggdrasil_buffer;

typedef struct {
    void *(*new_engine)(void);
    void (*free_engine)(void *engine);
    char *(*take_state)(void *engine, const char *json);
    char *(*check_enabled)(void *engine, const char *key, const char *context, const char *custom_results);
    char *(*check_variant)(void *engine, const char *key, const char *context, const char *custom_results);
    char *(*count_toggle)(void *engine, const char *key, bool enabled);
    void (*free_response)(char *response);
    yggdrasil_buffer (*flat_check_enabled)(void *engine, const uint8_t *message, uint64_t size);
    yggdrasil_buffer (*flat_check_variant)(void *engine, const uint8_t *message, uint64_t size);
    void (*flat_buf_free)(yggdrasil_buffer buffer);
} yggdrasil_library;

/** Loaded once. */
const yggdrasil_library *yggdrasil_load(const char *path);
/** An engine with a features document; ends the process when it is refused. */
void *yggdrasil_engine_new(const yggdrasil_library *library, const char *document);
void yggdrasil_engine_swap(const yggdrasil_library *library, void *engine, const char *document);

#endif

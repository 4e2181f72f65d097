/** @file The C interface of the flipt-client wheel, as its Python wrapper declares it. */
#ifndef FLIPT_LIBRARY_H
#define FLIPT_LIBRARY_H

#include <stddef.h>

typedef struct {
    void *(*initialize_engine)(const char *options);
    void (*destroy_engine)(void *engine);
    char *(*evaluate_boolean)(void *engine, const char *request);
    char *(*evaluate_variant)(void *engine, const char *request);
    void (*destroy_string)(char *text);
} flipt_library;

/** Loaded once. */
const flipt_library *flipt_load(const char *path);
/** An engine that has fetched the snapshot with that many flags from the loopback server. */
void *flipt_engine_new(const flipt_library *library, const char *url, size_t flag_count);

#endif

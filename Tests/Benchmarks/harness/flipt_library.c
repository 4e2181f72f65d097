#include "flipt_library.h"
#include "subject.h"

#include <stdio.h>

const flipt_library *flipt_load(const char *path)
{
    static flipt_library api;
    if (api.initialize_engine) return &api;
    void *library = library_open(path);
#define LOAD(name) api.name = (__typeof__(api.name))library_symbol(library, #name)
    LOAD(destroy_engine);
    LOAD(evaluate_boolean);
    LOAD(evaluate_variant);
    LOAD(destroy_string);
    LOAD(initialize_engine);
    return &api;
}

void *flipt_engine_new(const flipt_library *library, const char *url, size_t flag_count)
{
    char options[512];
    snprintf(options, sizeof options, "{\"namespace\":\"default\",\"url\":\"%s/%zu\",\"update_interval\":86400}", url, flag_count);
    void *engine = library->initialize_engine(options);
    if (!engine) die("flipt: no engine");
    return engine;
}

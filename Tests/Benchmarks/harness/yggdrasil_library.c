#include "yggdrasil_library.h"
#include "subject.h"

#include <string.h>

const yggdrasil_library *yggdrasil_load(const char *path)
{
    static yggdrasil_library api;
    if (api.new_engine) return &api;
    void *library = library_open(path);
#define LOAD(name) api.name = (__typeof__(api.name))library_symbol(library, #name)
    LOAD(free_engine);
    LOAD(take_state);
    LOAD(check_enabled);
    LOAD(check_variant);
    LOAD(count_toggle);
    LOAD(free_response);
    LOAD(flat_check_enabled);
    LOAD(flat_check_variant);
    LOAD(flat_buf_free);
    LOAD(new_engine);
    return &api;
}

void yggdrasil_engine_swap(const yggdrasil_library *library, void *engine, const char *document)
{
    char *answer = library->take_state(engine, document);
    if (!answer || !strstr(answer, "\"Ok\"")) die("yggdrasil refused the document: %s", answer ? answer : "no answer");
    library->free_response(answer);
}

void *yggdrasil_engine_new(const yggdrasil_library *library, const char *document)
{
    void *engine = library->new_engine();
    if (!engine) die("yggdrasil: no engine");
    yggdrasil_engine_swap(library, engine, document);
    return engine;
}

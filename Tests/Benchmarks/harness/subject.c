#include "subject.h"

#include <dlfcn.h>
#include <string.h>

void *library_open(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) die("%s", dlerror());
    return library;
}

void *library_symbol(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) die("%s", dlerror());
    return symbol;
}

int answer_from_payload(const char *text)
{
    const char *at = text ? strstr(text, "variant\\\":\\\"") : NULL;
    if (at) at += strlen("variant\\\":\\\"");
    else if ((at = text ? strstr(text, "{\"variant\":\"") : NULL)) at += strlen("{\"variant\":\"");
    return !at ? ANSWER_ERROR : *at == 'a' ? ANSWER_A : *at == 'b' ? ANSWER_B : ANSWER_ERROR;
}

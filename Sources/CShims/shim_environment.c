#define _GNU_SOURCE /* secure_getenv, dladdr */
#include "shim_environment.h"
#include <dlfcn.h>
#include <stdlib.h>

const char *shim_environment(const char *name) { return secure_getenv(name); }

const char *shim_object_file(void) {
  static const char anchor;
  Dl_info found;
  return dladdr(&anchor, &found) ? found.dli_fname : NULL;
}

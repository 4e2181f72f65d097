#define _GNU_SOURCE /* secure_getenv */
#include "shim_environment.h"
#include <stdlib.h>

const char *shim_environment(const char *name) { return secure_getenv(name); }

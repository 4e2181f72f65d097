#define _GNU_SOURCE /* memmem */
#include "shim_bytes.h"
#include <string.h>

const void *shim_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count);
}

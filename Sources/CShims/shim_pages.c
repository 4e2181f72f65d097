#define _GNU_SOURCE /* mremap */
#include "shim_pages.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool is_large(size_t bytes) { return bytes >= 256 << 10; }

static void *allocate(size_t bytes) {
  if (!is_large(bytes)) return malloc(bytes);
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *shim_pages_resize(void *old, size_t from, size_t to) {
  if (!old) return allocate(to);
  if (!is_large(from) && !is_large(to)) return realloc(old, to);
  if (is_large(from) && is_large(to)) {
    void *pages = mremap(old, from, to, MREMAP_MAYMOVE);
    return pages == MAP_FAILED ? NULL : pages;
  }
  void *block = allocate(to);
  if (!block) return NULL;
  memcpy(block, old, from < to ? from : to);
  shim_pages_free(old, from);
  return block;
}

void shim_pages_free(void *block, size_t bytes) {
  if (block && is_large(bytes)) munmap(block, bytes);
  else free(block);
}

/* Blocks that may become large: from a quarter of a mebibyte on they are pages straight from the system, which grow without being
 * copied, and go back to it at once. The C library would keep them in the heap of the thread that had them. */
#pragma once
#include <stddef.h>

/* A block of `to` bytes with what the former one holds, as far as it goes; the rest is not initialised. `old` may be NULL, and has
 * `from` bytes. NULL when memory has run out, and then the former block stays. The caller frees it. */
void *shim_pages_resize(void *old, size_t from, size_t to);

/* `block` may be NULL, and has `bytes`. */
void shim_pages_free(void *block, size_t bytes);

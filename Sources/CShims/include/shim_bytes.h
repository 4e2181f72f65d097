/* Bytes: what the C library has beyond the standard and Swift does not see. */
#pragma once
#include <stddef.h>

/* The first place of `needle` in `bytes`, or NULL. Linear time, no allocation. */
const void *shim_find(const void *bytes, size_t count, const void *needle, size_t needle_count);

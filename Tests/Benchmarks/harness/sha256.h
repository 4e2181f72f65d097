/** @file The hash that Kameleoon places visitors by, in plain C. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

/** Where SHA-256 of at most 55 bytes, which is one block, stands between 0 and 1. */
double sha256_share(const char *bytes, size_t size);

#endif

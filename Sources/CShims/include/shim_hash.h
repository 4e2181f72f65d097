/* Hashing with the processor's own instructions, where it has them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int8_t shim_sha_state; /* atomic; 0 not asked yet, 1 yes, -1 no */
bool shim_sha_ask(void);

/* Whether this processor has instructions for SHA-256 and SHA-1: asked once, then one load. */
static inline bool shim_sha_is_fast(void) {
  int8_t known = __atomic_load_n(&shim_sha_state, __ATOMIC_RELAXED);
  return __builtin_expect(known != 0, 1) ? known > 0 : shim_sha_ask();
}

/* Absorb one block of 64 bytes, of any alignment. Only where `shim_sha_is_fast()`. */
void shim_sha256_block(uint32_t *_Nonnull state, const void *_Nonnull block);
void shim_sha1_block(uint32_t *_Nonnull state, const void *_Nonnull block);

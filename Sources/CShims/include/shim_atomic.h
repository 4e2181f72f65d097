/* Atomics on plain memory, for the raw blocks that readers share without a class reference. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

static inline void *_Nullable shim_load_pointer(void *_Nullable const *_Nonnull at) {
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}
static inline void shim_store_pointer(void *_Nullable *_Nonnull at, void *_Nullable value) {
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
}
static inline void *_Nullable shim_exchange_pointer(void *_Nullable *_Nonnull at, void *_Nullable value) {
  return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
}
static inline uint32_t shim_load_u32(const uint32_t *_Nonnull at) {
  return __atomic_load_n(at, __ATOMIC_RELAXED);
}
/* A reader that sees a place sees what lies there. */
static inline uint32_t shim_load_place(const void *_Nonnull at) {
  return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}
static inline void shim_store_place(void *_Nonnull at, uint32_t value) {
  __atomic_store_n((uint32_t *)at, value, __ATOMIC_RELEASE);
}
static inline void shim_store_u32(uint32_t *_Nonnull at, uint32_t value) {
  __atomic_store_n(at, value, __ATOMIC_RELAXED);
}
static inline void shim_or_u32(uint32_t *_Nonnull at, uint32_t bits) {
  __atomic_fetch_or(at, bits, __ATOMIC_ACQ_REL);
}
static inline void shim_and_u32(uint32_t *_Nonnull at, uint32_t bits) {
  __atomic_fetch_and(at, bits, __ATOMIC_ACQ_REL);
}
/* Returns the value before the addition. */
static inline int64_t shim_add_i64(int64_t *_Nonnull at, int64_t delta) {
  return __atomic_fetch_add(at, delta, __ATOMIC_ACQ_REL);
}
static inline int64_t shim_load_i64(const int64_t *_Nonnull at) {
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}
/* Whether it was `expected` and is `value` now. */
static inline _Bool shim_replace_i64(int64_t *_Nonnull at, int64_t expected, int64_t value) {
  return __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
static inline void shim_store_i64(int64_t *_Nonnull at, int64_t value) {
  __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

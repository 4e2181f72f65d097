#include "shim_hash.h"

int8_t shim_sha_state;

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

bool shim_sha_ask(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  bool has_sse41 = __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 19)) && (c & (1u << 9));
  bool has_sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29));
  bool fast = has_sse41 && has_sha;
  __atomic_store_n(&shim_sha_state, fast ? 1 : -1, __ATOMIC_RELAXED);
  return fast;
}

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

#define SHA __attribute__((target("sha,sse4.1,ssse3"), always_inline)) static inline

/* Four rounds; `words` are those of the schedule. */
SHA void four_rounds(__m128i *abef, __m128i *cdgh, __m128i words, int round) {
  __m128i sum = _mm_add_epi32(words, _mm_load_si128((const __m128i *)(constants + round)));
  *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
  *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0E));
}

/* The next four words of the schedule after those of four groups. */
SHA __m128i next_words(__m128i first, __m128i second, __m128i third, __m128i fourth) {
  __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(first, second), _mm_alignr_epi8(fourth, third, 4));
  return _mm_sha256msg2_epu32(sum, fourth);
}

/* The schedule in a ring of four groups of words; FIPS 180-4 6.2.2, as the instructions want it. */
__attribute__((target("sha,sse4.1,ssse3"))) void shim_sha256_block(uint32_t *state, const void *block) {
  const __m128i order = _mm_set_epi64x(0x0C0D0E0F08090A0Bll, 0x0405060700010203ll);
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);        /* CDAB */
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B); /* EFGH */
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  const __m128i first_abef = abef, first_cdgh = cdgh;

  __m128i words[4];
#pragma clang loop unroll(full)
  for (int group = 0; group < 4; group++) {
    words[group] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block + group), order);
    four_rounds(&abef, &cdgh, words[group], group * 4);
  }
#pragma clang loop unroll(full)
  for (int group = 4; group < 16; group++) {
    words[group & 3] = next_words(words[group & 3], words[(group + 1) & 3], words[(group + 2) & 3], words[(group + 3) & 3]);
    four_rounds(&abef, &cdgh, words[group & 3], group * 4);
  }

  abef = _mm_add_epi32(abef, first_abef);
  cdgh = _mm_add_epi32(cdgh, first_cdgh);
  low = _mm_shuffle_epi32(abef, 0x1B);  /* FEBA */
  high = _mm_shuffle_epi32(cdgh, 0xB1); /* DCHG */
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

/* The next four words of SHA-1's schedule after those of four groups. */
SHA __m128i next_sha1_words(__m128i first, __m128i second, __m128i third, __m128i fourth) {
  return _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(first, second), third), fourth);
}

/* Twenty rounds of one function, which the instruction wants as a constant. */
#define TWENTY_ROUNDS(part)                                                                                          \
  for (int group = part * 5; group < part * 5 + 5; group++) {                                                        \
    if (group >= 4)                                                                                                  \
      words[group & 3] =                                                                                             \
          next_sha1_words(words[group & 3], words[(group + 1) & 3], words[(group + 2) & 3], words[(group + 3) & 3]); \
    __m128i sum = group ? _mm_sha1nexte_epu32(former, words[group & 3]) : _mm_add_epi32(first_e, words[0]);          \
    former = abcd;                                                                                                   \
    abcd = _mm_sha1rnds4_epu32(abcd, sum, part);                                                                     \
  }

/* FIPS 180-4 6.1.2, as the instructions want it. */
__attribute__((target("sha,sse4.1,ssse3"))) void shim_sha1_block(uint32_t *state, const void *block) {
  const __m128i order = _mm_set_epi64x(0x0001020304050607ll, 0x08090A0B0C0D0E0Fll);
  const __m128i first_abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0x1B);
  const __m128i first_e = _mm_set_epi32((int)state[4], 0, 0, 0);
  __m128i abcd = first_abcd, former = first_abcd;

  __m128i words[4];
#pragma clang loop unroll(full)
  for (int group = 0; group < 4; group++)
    words[group] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block + group), order);
#pragma clang loop unroll(full)
  TWENTY_ROUNDS(0)
#pragma clang loop unroll(full)
  TWENTY_ROUNDS(1)
#pragma clang loop unroll(full)
  TWENTY_ROUNDS(2)
#pragma clang loop unroll(full)
  TWENTY_ROUNDS(3)

  _mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(_mm_add_epi32(abcd, first_abcd), 0x1B));
  state[4] = (uint32_t)_mm_extract_epi32(_mm_sha1nexte_epu32(former, first_e), 3);
}

#else

bool shim_sha_ask(void) {
  __atomic_store_n(&shim_sha_state, -1, __ATOMIC_RELAXED);
  return false;
}

/* Never called: this processor is never reported as having the instructions. */
void shim_sha1_block(uint32_t *state, const void *block) {
  (void)state;
  (void)block;
}

void shim_sha256_block(uint32_t *state, const void *block) {
  (void)state;
  (void)block;
}

#endif

#include "pause.h"

int64_t pause_ms(int failed_attempts, int64_t first_ms, int64_t max_ms, uint64_t random) {
  int64_t limit = first_ms;
  for (int i = 1; i < failed_attempts && limit < max_ms; i++) limit *= 2;
  if (limit > max_ms) limit = max_ms;
  return (int64_t)(random % (uint64_t)(limit + 1));
}

/* A frame for the C tests: named tests made of checks, one line of result per test.
 *
 *   TEST(freeing_null_is_harmless) { hoist_text_free(NULL); CHECK(true); }
 *   int main(void) { RUN(freeing_null_is_harmless); return check_summary(); }
 *
 * A failed check ends its test. Written for C99 and C++17. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct {
  int passed, failed, skipped;
  bool test_failed;
  const char *skip_reason;
} check_state;

#define TEST(name) static void name(void)
#define RUN(name) check_run(#name, name)

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      check_complain(__FILE__, __LINE__, #condition);                                                                  \
      return;                                                                                                          \
    }                                                                                                                  \
  } while (0)

#define CHECK_INT(actual, expected)                                                                                    \
  do {                                                                                                                 \
    long long check_actual = (long long)(actual), check_expected = (long long)(expected);                              \
    if (check_actual != check_expected) {                                                                              \
      check_complain(__FILE__, __LINE__, #actual " == " #expected);                                                    \
      printf("#   actual %lld, expected %lld\n", check_actual, check_expected);                                        \
      return;                                                                                                          \
    }                                                                                                                  \
  } while (0)

#define CHECK_TEXT(actual, expected)                                                                                   \
  do {                                                                                                                 \
    const char *check_actual = (actual), *check_expected = (expected);                                                 \
    if (!check_actual || strcmp(check_actual, check_expected) != 0) {                                                  \
      check_complain(__FILE__, __LINE__, #actual " == " #expected);                                                    \
      printf("#   actual \"%s\", expected \"%s\"\n", check_actual ? check_actual : "(null)", check_expected);          \
      return;                                                                                                          \
    }                                                                                                                  \
  } while (0)

/* Ends the test without a verdict. */
#define SKIP(reason)                                                                                                   \
  do {                                                                                                                 \
    check_state.skip_reason = (reason);                                                                                \
    return;                                                                                                            \
  } while (0)

static inline void check_complain(const char *file, int line, const char *condition) {
  check_state.test_failed = true;
  printf("#   %s:%d: %s\n", file, line, condition);
}

static inline void check_run(const char *name, void (*test)(void)) {
  check_state.test_failed = false;
  check_state.skip_reason = NULL;
  test();
  if (check_state.test_failed) {
    check_state.failed++;
    printf("not ok %s\n", name);
  } else if (check_state.skip_reason) {
    check_state.skipped++;
    printf("ok %s # skipped: %s\n", name, check_state.skip_reason);
  } else {
    check_state.passed++;
    printf("ok %s\n", name);
  }
  fflush(stdout);
}

/* Prints the closing line; what main returns. */
static inline int check_summary(void) {
  printf("%d passed, %d failed, %d skipped\n", check_state.passed, check_state.failed, check_state.skipped);
  return check_state.failed ? 1 : 0;
}

#endif

/* What the generated bad-argument matrix stands on: the bad values, and the verdicts that need no
 * knowledge of a single function. See generate_matrix.py. */
#ifndef MATRIX_H
#define MATRIX_H

#include "check.h"
#include "host.h"

#include <execinfo.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A plug-in that can be loaded. */
#define MATRIX_PLUGIN PLUGIN_FOLDER "/every_kind" PLUGIN_SUFFIX

/* Written by the child that makes the calls, read by the parent when the child is gone. */
typedef struct matrix_report {
  char call[1024];
  char complaint[2048];
  long calls;
  bool is_finished;
} matrix_report;

static matrix_report *matrix_shared;
static long matrix_owed_releases, matrix_owed_completions;
static long matrix_releases, matrix_completions;

/* ---- Verdicts ---- */

static inline void matrix_complain(const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  size_t used = strlen(matrix_shared->complaint);
  snprintf(matrix_shared->complaint + used, sizeof matrix_shared->complaint - used, "#   %s\n#     in %.600s\n", line,
           matrix_shared->call);
}

static inline void matrix_describe(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(matrix_shared->call, sizeof matrix_shared->call, format, arguments);
  va_end(arguments);
  matrix_shared->calls++;
}

static inline void matrix_expect(bool condition, const char *what) {
  if (!condition) matrix_complain("expected: %s", what);
}

/* A status is one of the known ones, and not success when an argument had to be refused. */
static inline void matrix_judge_status(hoist_status status, bool must_fail) {
  if (strcmp(hoist_status_name(status), "HOIST_ERR_UNKNOWN") == 0) matrix_complain("unknown status %d", (int)status);
  if (must_fail && status == HOIST_OK) matrix_complain("HOIST_OK for an argument that must be refused");
}

/* An error says the same as the status, in one line; there is none on success. */
static inline void matrix_judge_error(hoist_error *error, bool is_success, const hoist_status *status) {
  if (is_success) {
    matrix_expect(error == NULL, "no error on success");
  } else if (!error) {
    matrix_complain("a failure without an error");
  } else {
    const char *message = hoist_error_message(error);
    if (status && hoist_error_status(error) != *status) matrix_complain("error and result differ");
    if (!message || !*message) matrix_complain("an error without a message");
    if (message && strpbrk(message, "\r\n")) matrix_complain("a message of more than one line");
    if (message && strlen(message) > 4096) matrix_complain("a message of %zu bytes", strlen(message));
  }
  hoist_error_free(error);
}

/* The detail of an evaluation that could not be made says so. */
static inline void matrix_judge_detail(const hoist_detail *detail) {
  if (strcmp(hoist_detail_reason(detail), "ERROR") != 0)
    matrix_complain("the reason is %s", hoist_detail_reason(detail));
  if (!*hoist_detail_error_code(detail)) matrix_complain("a detail without an error code");
  if (!*hoist_detail_error_message(detail)) matrix_complain("a detail without an error message");
}

/* Reads a text to its end, so that a sanitizer sees what is wrong with it. */
static inline void matrix_read(const char *text) {
  volatile size_t length = text ? strlen(text) : 0;
  (void)length;
}

/* ---- Texts ---- */

#define MATRIX_HUGE ((size_t)10 * 1024 * 1024)
#define MATRIX_DEEP ((size_t)100 * 1000)
static char *matrix_huge_text, *matrix_deep_text, *matrix_long_text;

typedef struct matrix_bytes {
  const char *label;
  const char *bytes;
  size_t size;
  bool is_invalid_utf8;
} matrix_bytes;

enum { MATRIX_TEXT_COUNT = 11, MATRIX_SIZED_COUNT = 18 };

/* The values of a NUL-terminated text: 0 the good one, then the bad ones. */
static inline matrix_bytes matrix_text(size_t pick, const char *good) {
  matrix_bytes values[MATRIX_TEXT_COUNT] = {
      {"good", good, 0, false},
      {"NULL", NULL, 0, false},
      {"empty", "", 0, false},
      {"not UTF-8", "\xff\xfe", 0, true},
      {"overlong UTF-8", "a\xc0\x80", 0, true},
      {"surrogate", "\xed\xa0\x80", 0, true},
      {"cut UTF-8", "a\xe2\x82", 0, true},
      {"control characters", "a\x01\r\nb: c", 0, false},
      {"format", "%s%n%d {}", 0, false},
      {"5000 bytes", matrix_long_text, 0, false},
      {"10 MB", matrix_huge_text, 0, false},
  };
  matrix_bytes value = values[pick < MATRIX_TEXT_COUNT ? pick : 0];
  value.size = value.bytes ? strlen(value.bytes) : 0;
  return value;
}

/* The values of a text or of bytes with a length. */
static inline matrix_bytes matrix_sized(size_t pick, const char *good) {
  matrix_bytes values[MATRIX_SIZED_COUNT - MATRIX_TEXT_COUNT] = {
      {"NULL of 7 bytes", NULL, 7, false},
      {"NULL of SIZE_MAX bytes", NULL, SIZE_MAX, false},
      {"embedded NUL", "a\0b", 3, false},
      {"cut JSON", "{\"a\":[1,", 8, false},
      {"deep JSON", matrix_deep_text, MATRIX_DEEP, false},
      {"large number", "{\"a\":1e999,\"b\":123456789012345678901234567890}", 44, false},
      {"wrong kind of JSON", "[1,null,{}]", 11, false},
  };
  return pick < MATRIX_TEXT_COUNT ? matrix_text(pick, good) : values[pick - MATRIX_TEXT_COUNT];
}

/* ---- Buffers that Hoist fills ---- */

typedef struct matrix_buffer {
  const char *label;
  char *bytes;
  size_t size;
} matrix_buffer;

enum { MATRIX_BUFFER_COUNT = 6 };
static char matrix_buffer_bytes[80];

static inline matrix_buffer matrix_buffer_of(size_t pick) {
  matrix_buffer values[MATRIX_BUFFER_COUNT] = {
      {"64 bytes", matrix_buffer_bytes, 64},
      {"NULL of 0", NULL, 0},
      {"NULL of 7", NULL, 7},
      {"0 bytes", matrix_buffer_bytes, 0},
      {"1 byte", matrix_buffer_bytes, 1},
      {"2 bytes", matrix_buffer_bytes, 2},
  };
  memset(matrix_buffer_bytes, 0x5a, sizeof matrix_buffer_bytes);
  return values[pick < MATRIX_BUFFER_COUNT ? pick : 0];
}

static inline void matrix_judge_buffer(matrix_buffer buffer) {
  for (size_t index = buffer.bytes ? buffer.size : 0; index < sizeof matrix_buffer_bytes; index++)
    if (matrix_buffer_bytes[index] != 0x5a) {
      matrix_complain("wrote beyond the buffer, at %zu of %zu", index, buffer.size);
      return;
    }
  if (buffer.bytes && buffer.size) matrix_expect(memchr(buffer.bytes, 0, buffer.size) != NULL, "a NUL at the end");
}

/* ---- Lists of texts ---- */

typedef struct matrix_list {
  const char *label;
  const char *const *items;
  size_t count;
  bool is_invalid_utf8;
} matrix_list;

enum { MATRIX_LIST_COUNT = 6 };

static inline matrix_list matrix_list_of(size_t pick) {
  static const char *const good[] = {"a", "b"};
  static const char *const holes[] = {"a", NULL, "b"};
  static const char *const invalid[] = {"a", "\xff"};
  matrix_list values[MATRIX_LIST_COUNT] = {
      {"two", good, 2, false},        {"NULL of 0", NULL, 0, false},
      {"NULL of 3", NULL, 3, false},  {"NULL of SIZE_MAX", NULL, SIZE_MAX, false},
      {"with NULL", holes, 3, false}, {"not UTF-8", invalid, 2, true},
  };
  return values[pick < MATRIX_LIST_COUNT ? pick : 0];
}

/* ---- Lists of numbers ---- */

typedef struct matrix_numbers {
  const char *label;
  const double *items;
  size_t count;
} matrix_numbers;

enum { MATRIX_NUMBERS_COUNT = 5 };

static inline matrix_numbers matrix_numbers_of(size_t pick) {
  static const double good[] = {1, 2.5};
  static const double bad[] = {3, (double)NAN, -(double)INFINITY, 3, 0};
  matrix_numbers values[MATRIX_NUMBERS_COUNT] = {{"two", good, 2},
                                                 {"NULL of 0", NULL, 0},
                                                 {"NULL of 3", NULL, 3},
                                                 {"NULL of SIZE_MAX", NULL, SIZE_MAX},
                                                 {"without order", bad, 5}};
  return values[pick < MATRIX_NUMBERS_COUNT ? pick : 0];
}

typedef struct matrix_integers {
  const char *label;
  const int64_t *items;
  size_t count;
} matrix_integers;

enum { MATRIX_INTEGERS_COUNT = 4 };

static inline matrix_integers matrix_integers_of(size_t pick) {
  static const int64_t good[] = {1, INT64_MIN, INT64_MAX};
  matrix_integers values[MATRIX_INTEGERS_COUNT] = {
      {"three", good, 3}, {"NULL of 0", NULL, 0}, {"NULL of 3", NULL, 3}, {"NULL of SIZE_MAX", NULL, SIZE_MAX}};
  return values[pick < MATRIX_INTEGERS_COUNT ? pick : 0];
}

/* ---- JSON values ---- */

#ifdef HOIST_JANSSON_H
enum {
  MATRIX_JSON_OBJECT,
  MATRIX_JSON_NULL,
  MATRIX_JSON_ARRAY,
  MATRIX_JSON_TEXT,
  MATRIX_JSON_REAL,
  MATRIX_JSON_NOTHING,
  MATRIX_JSON_DEEP,
  MATRIX_JSON_COUNT
};
static const char *const matrix_json_labels[MATRIX_JSON_COUNT] = {"object", "NULL", "array",      "text",
                                                                  "real",   "null", "1000 levels"};

/* A new reference, or NULL. */
static inline json_t *matrix_json(size_t pick) {
  json_t *value = NULL;
  switch (pick) {
  case MATRIX_JSON_OBJECT: return json_pack("{s:s}", "key", "text");
  case MATRIX_JSON_ARRAY: return json_pack("[i,n]", 1);
  case MATRIX_JSON_TEXT: return json_string("text");
  case MATRIX_JSON_REAL: return json_real(1e300);
  case MATRIX_JSON_NOTHING: return json_null();
  case MATRIX_JSON_DEEP:
    value = json_array();
    for (int level = 1; level < 1000; level++) value = json_pack("[o]", value);
    return value;
  default: return NULL;
  }
}
#endif

/* ---- Numbers ---- */

static inline int64_t matrix_integer(size_t pick, int64_t lowest, int64_t highest) {
  int64_t values[] = {1, 0, -1, 9999, lowest, highest};
  int64_t value = values[pick < 6 ? pick : 0];
  return value < lowest ? lowest : value;
}
enum { MATRIX_INTEGER_COUNT = 6 };

/* Waiting for ever is allowed, and no mistake: only limits that end. */
static inline int64_t matrix_timeout(size_t pick) { return pick == 0 ? 1 : 0; }
enum { MATRIX_TIMEOUT_COUNT = 2 };

static inline uint64_t matrix_unsigned(size_t pick, uint64_t highest) {
  uint64_t values[] = {1, 0, 7, highest};
  return values[pick < 4 ? pick : 0];
}
enum { MATRIX_UNSIGNED_COUNT = 4 };

static inline double matrix_double(size_t pick) {
  double values[] = {1.5, 0, -1, (double)NAN, (double)INFINITY, -(double)INFINITY, DBL_MAX, DBL_MIN / 4};
  return values[pick < 8 ? pick : 0];
}
enum { MATRIX_DOUBLE_COUNT = 8 };

static inline bool matrix_same_double(double left, double right) { return memcmp(&left, &right, sizeof left) == 0; }

/* ---- What the calls owe ---- */

static inline void matrix_count_release(void *user_data) {
  if (user_data == &matrix_owed_releases) __atomic_add_fetch(&matrix_releases, 1, __ATOMIC_SEQ_CST);
}

static inline void matrix_count_completion(void *user_data, hoist_status status) {
  (void)user_data;
  (void)status;
  __atomic_add_fetch(&matrix_completions, 1, __ATOMIC_SEQ_CST);
}

/* Everything is freed: each table has been released, each completion called, once. */
static inline void matrix_judge_debts(void) {
  for (int attempt = 0; attempt < 500; attempt++) {
    if (__atomic_load_n(&matrix_releases, __ATOMIC_SEQ_CST) >= matrix_owed_releases &&
        __atomic_load_n(&matrix_completions, __ATOMIC_SEQ_CST) >= matrix_owed_completions)
      break;
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  if (matrix_releases != matrix_owed_releases)
    matrix_complain("%ld tables were handed over, %ld released", matrix_owed_releases, matrix_releases);
  if (matrix_completions != matrix_owed_completions)
    matrix_complain("%ld completions were promised, %ld came", matrix_owed_completions, matrix_completions);
}

/* ---- Running ---- */

typedef struct matrix_function {
  const char *name;
  void (*run)(void);
  const char *untried; /* why no living object was passed, or NULL */
} matrix_function;

/* For each axis in turn, all of its values; the other axes stay at `base`, 0 (good) or 1 (NULL, zero). */
typedef struct matrix_walk {
  size_t picks[16];
  size_t axis, value, base, axes;
  bool has_begun;
} matrix_walk;

static inline bool matrix_next(matrix_walk *walk, const size_t *counts, size_t axes) {
  if (!walk->has_begun) {
    walk->has_begun = true;
    walk->axes = axes;
  } else if (axes == 0) {
    return false;
  } else if (++walk->value >= counts[walk->axis]) {
    walk->value = 0;
    if (++walk->axis >= axes) {
      walk->axis = 0;
      if (++walk->base > 1) return false;
    }
  }
  for (size_t axis = 0; axis < axes; axis++)
    walk->picks[axis] = axis == walk->axis ? walk->value : (walk->base < counts[axis] ? walk->base : 0);
  return true;
}

static inline void matrix_prepare(void) {
  matrix_shared =
      (matrix_report *)mmap(NULL, sizeof *matrix_shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void *frame;
  (void)backtrace(&frame, 1); /* so that the unwinder is loaded before it is needed */
  matrix_huge_text = (char *)malloc(MATRIX_HUGE + 1);
  matrix_deep_text = (char *)malloc(MATRIX_DEEP + 1);
  matrix_long_text = (char *)malloc(5001);
  if (matrix_shared == MAP_FAILED || !matrix_huge_text || !matrix_deep_text || !matrix_long_text) exit(70);
  memset(matrix_huge_text, 'h', MATRIX_HUGE);
  memset(matrix_deep_text, '[', MATRIX_DEEP);
  memset(matrix_long_text, 'l', 5000);
  matrix_huge_text[MATRIX_HUGE] = matrix_deep_text[MATRIX_DEEP] = matrix_long_text[5000] = 0;
}

/* Says where a call hangs before the process ends of it. */
static inline void matrix_hangs(int number) {
  void *frames[64];
  int count = backtrace(frames, 64);
  static const char said[] = "#   hangs at:\n";
  (void)!write(STDOUT_FILENO, said, sizeof said - 1);
  backtrace_symbols_fd(frames, count, STDOUT_FILENO);
  signal(number, SIG_DFL);
  raise(number);
}

/* The calls of one function, in a process of their own: a crash or a hang is one failed test. */
static inline void matrix_run(const matrix_function *function) {
  memset(matrix_shared, 0, sizeof *matrix_shared);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, matrix_hangs);
    alarm(120);
    function->run();
    matrix_judge_debts();
    matrix_shared->is_finished = true;
    exit(0);
  }
  int status = 0;
  bool is_reaped = child > 0 && waitpid(child, &status, 0) == child;
  bool is_good = is_reaped && WIFEXITED(status) && WEXITSTATUS(status) == 0 && matrix_shared->is_finished &&
                 !*matrix_shared->complaint;
  printf("%s %s: %ld calls%s%s\n", is_good ? "ok" : "not ok", function->name, matrix_shared->calls,
         function->untried ? ", no living " : "", function->untried ? function->untried : "");
  if (is_good) {
    check_state.passed++;
  } else {
    check_state.failed++;
    printf("%s", matrix_shared->complaint);
    if (is_reaped && WIFSIGNALED(status))
      printf("#   ended by signal %d in %s\n", WTERMSIG(status), matrix_shared->call);
    else if (is_reaped && WEXITSTATUS(status) != 0)
      printf("#   exit status %d, last call %s\n", WEXITSTATUS(status), matrix_shared->call);
  }
  fflush(stdout);
}

/* Without arguments all functions, else those that are named. */
static inline int matrix_main(const matrix_function *functions, size_t count, int argc, char **argv) {
  matrix_prepare();
  for (size_t index = 0; index < count; index++) {
    bool is_wanted = argc < 2;
    for (int argument = 1; argument < argc; argument++)
      if (strcmp(argv[argument], functions[index].name) == 0) is_wanted = true;
    if (is_wanted) matrix_run(&functions[index]);
  }
  free(matrix_huge_text);
  free(matrix_deep_text);
  free(matrix_long_text);
  return check_summary();
}

#endif

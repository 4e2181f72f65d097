/** @file The workload as written by ../bench/workload.py, in memory. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>

enum { KIND_BOOL, KIND_RULE, KIND_VARI, KIND_MIX, KIND_COUNT };
extern const char *const kind_names[KIND_COUNT];

typedef struct { int kind; const char *key, *payload_a, *payload_b; } flag;
typedef struct { const char *id, *country, *plan, *age; } user;
typedef struct { int kind; const char *key; size_t user; } pair;

typedef struct {
    size_t flag_count, user_count, pair_count[KIND_COUNT]; /* pair counts are powers of two */
    flag *flags;
    user *users;
    pair *pairs[KIND_COUNT];
    const char *folder;
} workload;

/** Reads a folder; ends the process with a message when something is missing. Lives for ever. */
workload *workload_read(const char *folder);

/** A whole file with a NUL behind it, in a folder or (folder "") at a path; ends the process when it cannot be read. */
char *read_file(const char *folder, const char *name, size_t *size);

size_t count_lines(const char *text);
/** Cuts the next line into fields at tabs; missing fields are "". Returns the rest of the text. */
char *next_line(char *text, const char *fields[4]);

/** Prints to stderr and ends the process with status 2: the harness itself failed. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

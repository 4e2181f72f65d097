/** @file One engine prepared for one kind of flag: what is checked, then timed. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "workload.h"

#include <stdbool.h>
#include <stdint.h>

enum { ANSWER_ERROR = -1, ANSWER_OFF = 0, ANSWER_ON = 1, ANSWER_A = 2, ANSWER_B = 3 };

typedef struct {
    const char *name;  /**< as the report prints it */
    void *state;
    /** Evaluates `count` pairs, beginning with pair `first`; more than one thread at a time. */
    uint64_t (*loop)(void *state, size_t first, size_t count);
    /** The answer for one pair. NULL for a row without answers. */
    int (*answer)(void *state, size_t index);
    bool exact;        /**< Unleash semantics: every answer equals the floor's */
} subject;

enum { MAX_SUBJECTS = 16 };

/** What the command line named; a peer whose library is NULL is left out. */
typedef struct {
    const char *floor, *hoist, *yggdrasil, *flipt;
    const char *url; /**< loopback server, see ../bench/loopback.py */
} libraries;

/* Each appends its subjects for a workload and a kind, and returns how many. The engine of a workload is
   made at the first call and shared by its kinds. Everything lives for ever. */
size_t floor_subjects(const libraries *where, const workload *what, int kind, subject *out);
size_t hoist_subjects(const libraries *where, const workload *what, int kind, subject *out);
/** Of KIND_BOOL and KIND_VARI, whatever the user: the flags are one context's. */
size_t launchdarkly_subjects(const libraries *where, const workload *what, int kind, subject *out);
/** Of no kind: all flags have the same rules. */
size_t server_subjects(const libraries *where, const workload *what, subject *out);
size_t yggdrasil_subjects(const libraries *where, const workload *what, int kind, subject *out);
size_t flipt_subjects(const libraries *where, const workload *what, int kind, subject *out);

struct hoist_client;
/** hoist_client_bool() over a client of the caller's own. */
subject hoist_subject_over(const libraries *where, const workload *what, int kind, struct hoist_client *client);
/** The same over a LaunchDarkly client. */
subject launchdarkly_subject_over(const libraries *where, const workload *what, int kind, struct hoist_client *client);
/** The same over one of mode server, whatever the kind. */
subject server_subject_over(const libraries *where, const workload *what, int kind, struct hoist_client *client);
/** The engine behind a subject of yggdrasil_subjects(). */
void *yggdrasil_engine_of(const subject *one);

/** dlopen and dlsym that end the process with a message. */
void *library_open(const char *path);
void *library_symbol(void *library, const char *name);

/** Reads which variant a payload or an answer names: the first `"variant":"x"`, escaped or not. */
int answer_from_payload(const char *text);

#endif

/**
 * @file
 * What plain C needs for the same answers: the floor all figures are compared with.
 * Built as a shared library of its own and called like every other subject, through dlopen.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include "workload.h"

typedef struct floor_engine floor_engine;
typedef struct floor_user floor_user;

floor_engine *floor_new(const flag *flags, size_t count);
/** Attributes hashed beforehand, as a context object would hold them. */
floor_user *floor_user_new(const user *source);

/** Nothing: the cost of the call. */
int floor_empty(const floor_engine *engine, const char *key);
/** Hash of the key and open-addressed look-up; 1 when the flag is on, -1 when there is none. */
int floor_lookup(const floor_engine *engine, const char *key);
/** floor_lookup() that counts the answer in a cell of this thread. */
int floor_counted(floor_engine *engine, const char *key);
/** Three conditions, then MurmurHash3 of "key:user" modulo 100. */
int floor_rule(const floor_engine *engine, const char *key, const floor_user *who);
/** The payload of the variant that the user's hash selects; NULL when there is none. */
const char *floor_variant(const floor_engine *engine, const char *key, const floor_user *who);

#endif

/** @file Replacing a configuration again and again: an engine that alternates between two documents. */
#ifndef SWAPPER_H
#define SWAPPER_H

#include "subject.h"

typedef struct {
    subject over;                     /**< evaluates rule flags of the engine that is swapped */
    void *state;
    void (*swap)(void *state);        /**< returns when the next document is in force */
    bool (*is_torn)(void *state);     /**< two flags of one document read as of two; NULL when it cannot be asked */
} swapper;

/* Both documents hold the flags of the workload, and two markers, the first and the last flag,
   that are on in one document and off in the other. */
swapper hoist_swapper(const libraries *where, const workload *what);
/** LaunchDarkly's values of one context; only the first marker, and it cannot be asked for torn reads. */
swapper launchdarkly_swapper(const libraries *where, const workload *what);
swapper yggdrasil_swapper(const libraries *where, const workload *what);

#endif

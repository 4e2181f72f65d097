/* What the object of plugin_object.c tells the test about itself, through its symbol `plugin_counts`. */
#ifndef COUNTS_H
#define COUNTS_H

enum { LOGGER, CACHE, HEADERS, TRANSPORT, DISPATCHER, HOOK, STORAGE, STRATEGY, PROFILES, ODP, LAUNCHDARKLY_HOOK, PROVIDER, KINDS };

typedef struct kind_count {
  int made, used, released;
} kind_count;

/* Indexed by kind; changed and read atomically. */
typedef struct counts {
  kind_count of[KINDS];
} counts;

#endif

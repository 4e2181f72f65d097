/* One misbehaving plug-in of each kind. */
#ifndef KINDS_H
#define KINDS_H

#include "world.h"

typedef struct kind {
  const char *name;
  const char *mode; /* of the client that has the plug-in */
  /* Puts the plug-in into the configuration; NULL for an observer. */
  void (*install)(plug *own, hoist_config *config);
  /* Makes the client call it, without waiting for the end of that; NULL where opening does. */
  void (*provoke)(plug *own, hoist_client *client);
} kind;

/* Those of Flagship; the last one has no name. */
extern const kind flagship_kinds[];

/* Those of a provider, likewise, and the configuration that has it. */
extern const kind provider_kinds[];
hoist_config *provider_config(void);

/* Evaluates on a thread of its own. */
void evaluate_elsewhere(plug *own, hoist_client *client);

/* NULL for an unknown name. */
const kind *kind_named(const char *name);

/* Waits for the thread that evaluates with a stuck plug-in, if there is one. */
void await_evaluating_thread(void);

#endif

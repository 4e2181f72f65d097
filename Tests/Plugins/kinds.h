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

/* NULL for an unknown name. */
const kind *kind_named(const char *name);

/* Waits for the thread that evaluates with a stuck plug-in, if there is one. */
void await_evaluating_thread(void);

#endif

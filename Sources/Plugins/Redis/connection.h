/* A connection to Redis that is made anew when it breaks, and one call after the other over it. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "failure.h"
#include "options.h"
#include <hiredis/hiredis.h>
#include <pthread.h>

enum { RUN_ID_BYTES = 40 };

typedef struct connection {
  options options;
  pthread_mutex_t lock;
  /* Guarded by `lock`. */
  int socket; /* -1: none */
  redisReader *reader;
  bool is_proven;             /* this connection has answered a call */
  char *moved_host;           /* where a cluster has sent us; NULL: nowhere */
  int moved_port;
  int failed_attempts;
  int64_t rests_until;        /* by now_ms() */
  failure last;               /* why there is a rest */
  bool is_failing;            /* it was said that there is no server, and not yet that there is one again */
  bool has_to_write;          /* that is over when something has been written: what reads has worked all the time */
  char said[400];             /* what was said last of what is wrong */
  int64_t said_at;
  uint64_t random;
  char run_id[RUN_ID_BYTES + 1]; /* of the server's process */
  const char *marker;         /* a key that exists once something was kept; NULL: there is none */
  char marker_key[2 * NAME_BYTES + 16];
  bool has_seen_marker;
  /* Guarded by the list of all connections, for forks. */
  struct connection *next, *previous;
} connection;

/* Takes over the options. */
void connection_init(connection *own, options *taken);
void connection_release(connection *own);

/* A call that has the connection for itself, and its deadline. */
typedef struct turn {
  connection *connection;
  int64_t deadline;
  failure why;
  bool has_sent;    /* something over the present connection in this turn */
  bool has_retried; /* after a connection that was found broken */
  int hops;
  bool is_optional; /* where it is not allowed, the connection is still good */
  bool writes;      /* where it is good, something has been written */
} turn;

/* False: in `own->why` is the reason, and connection_end() is not called. */
bool connection_begin(connection *connection, turn *own);
/* The answer to one command, to free with freeReplyObject(); NULL: in `own->why` is the reason. An error of Redis is no answer.
 * The first command of a turn may be sent twice, where the connection has broken while idle. */
redisReply *connection_ask(turn *own, int count, const char **words, const size_t *sizes);
/* Frees an answer, and tells whether there was one. */
bool answer_free(redisReply *answer);
/* For a turn that leaves something begun on the server: its next one has another connection. */
void connection_give_up(turn *own);
/* One command over the present connection, once; errors are answers. */
redisReply *connection_exchange(turn *own, int count, const char **words, const size_t *sizes);
/* Says what has gone wrong, or that it works again. Returns the status of the turn. */
hoist_status connection_end(turn *own, bool is_good);

/* greeting.c: logs in, and looks who answers. */
bool connection_greet(turn *own);
/* To stderr, if that is wanted. */
void connection_say(connection *own, const char *text);

uint64_t connection_random(connection *own);

/* connections.c: in a forked child no lock is held and no connection is shared. */
void connections_add(connection *one);
void connections_remove(connection *one);
/* Another number in a forked child. */
unsigned connections_forks(void);

#endif

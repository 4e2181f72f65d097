/* What every case needs: checks, time, a service in memory, and the misbehaviour that all kinds of plug-in share. */
#ifndef WORLD_H
#define WORLD_H

#include <hoist/hoist.h>
#include <hoist/flagship.h>
#include <hoist/unleash.h>
#include <pthread.h>

/* Prints what is wrong and ends the process, from any thread, also while others are stuck. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) world_fail(__FILE__, __LINE__, #condition);                                                      \
  } while (0)
#define REQUIRE_STATUS(actual, expected) world_require_status(__FILE__, __LINE__, #actual, (actual), (expected))

void world_fail(const char *file, int line, const char *condition);
void world_require_status(const char *file, int line, const char *call, hoist_status actual, hoist_status expected);

/* Ends the process with WORLD_TOO_LATE: on a busy machine it says nothing, unless it happens again and again. */
enum { WORLD_TOO_LATE = 4 };
#define REQUIRE_IN_TIME(milliseconds, limit) world_require_in_time(__FILE__, __LINE__, (milliseconds), (limit))
void world_require_in_time(const char *file, int line, long long milliseconds, long long limit);

/* Time limits of the contract, measured without what the machine itself was late: a witness thread that only
 * sleeps notes by how much it oversleeps. */
typedef struct stopwatch {
  long long started_us;
} stopwatch;
void witness_start(void);
stopwatch stopwatch_start(void);
long long stopwatch_ms(stopwatch watch);

/* An Unleash service, of both modes, and one of Flagship inside a transport plug-in. */
typedef struct service {
  int fetches, metrics, released, status_of_fetches;
} service;
void service_answer(service *own, const hoist_http_request *request, hoist_http_exchange *exchange);
hoist_transport service_transport(service *own);
/* Ends the process when `release` does not run within WORLD_PATIENCE_S. */
void service_await_released(service *own);

void world_set(hoist_config *config, const char *name, const char *value);
/* Two flags from the start, "banner" and, in backend mode, "picky" with the strategy "custom"; no store; the network
 * is `transport`. The modes are those of Unleash, "flagship" for a client of that, or "provider" for one of
 * provider_config(). */
hoist_config *world_config(const hoist_transport *transport, const char *mode);
hoist_client *world_open(const hoist_config *config);

/* STUCK calls return when the client is gone, SLOW ones before it closes. LATE and OVERDUE answers are given after the
 * call has returned, when somebody still waits for them or not. */
typedef enum fault { STUCK, SLOW, LATE, OVERDUE, TWICE, ANSWER_AND_FAIL, FAIL, GARBAGE, REENTER, FORK } fault;

/* The user data of the misbehaving plug-in. */
typedef struct plug {
  fault fault;
  bool sticks_once; /* only the first call sticks: it runs on evaluating threads, the test's own among them */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Guarded by `lock`. */
  bool is_open; /* the gate that stuck and slow calls wait at */
  int entered, inside, released;
  hoist_client *client;
  hoist_http_exchange *exchange;   /* kept for a late answer */
  hoist_dispatch_receipt *receipt; /* likewise */
  hoist_flagship_visitor_lookup *lookup;
  hoist_flagship_hit_lookup *hit_lookup;
  service *network;
} plug;

void plug_init(plug *own, fault fault, service *network);
/* Begin and end of every member: sleeps, calls back or forks as the case wants. */
void plug_enter(plug *own);
void plug_leave(plug *own);
/* The member `release` of every table. */
void plug_release(void *user_data);
void plug_set_client(plug *own, hoist_client *client);
void plug_open_gate(plug *own);
void plug_await_entered(plug *own, int times);
bool plug_has_entered(plug *own);
/* Ends the process when `release` does not run within WORLD_PATIENCE_S. */
enum { WORLD_PATIENCE_S = 20 };
void plug_await_released(plug *own);
int plug_released(plug *own);

#endif

/* What every case needs: checks, time, a service in memory, and the misbehaviour that all kinds of plug-in share. */
#ifndef WORLD_H
#define WORLD_H

#include <hoist/hoist.h>
#include <pthread.h>

/* Prints what is wrong and ends the process, from any thread, also while others are stuck. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) world_fail(__FILE__, __LINE__, #condition);                                                      \
  } while (0)
#define REQUIRE_STATUS(actual, expected) world_require_status(__FILE__, __LINE__, #actual, (actual), (expected))

void world_fail(const char *file, int line, const char *condition);
void world_require_status(const char *file, int line, const char *call, hoist_status actual, hoist_status expected);

/* Time limits of the contract, measured without what the machine itself was late: a witness thread that only
 * sleeps notes by how much it oversleeps. */
typedef struct stopwatch {
  long long started_us;
} stopwatch;
void witness_start(void);
stopwatch stopwatch_start(void);
long long stopwatch_ms(stopwatch watch);
/* Between two looks at something that nobody announces. */
void pause_ms(long ms);

/* An Unleash service inside a transport plug-in. */
typedef struct service {
  int fetches, metrics, released, status_of_fetches;
} service;
void service_answer(service *own, const hoist_http_request *request, hoist_http_exchange *exchange);
hoist_transport service_transport(service *own);

void world_set(hoist_config *config, const char *name, const char *value);
/* Backend mode with one flag, "banner", from the start; no store; the network is `transport`. */
hoist_config *world_config(const hoist_transport *transport);
hoist_client *world_open(const hoist_config *config);

typedef enum fault { STUCK, LATE, OVERDUE, TWICE, ANSWER_AND_FAIL, FAIL, REENTER, FORK } fault;

/* The user data of the misbehaving plug-in. */
typedef struct plug {
  fault fault;
  bool sticks_once; /* only the first call sticks: a hook would hold up the test's own thread too */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Guarded by `lock`. */
  bool is_open; /* the gate that stuck calls wait at */
  int entered, inside, released;
  hoist_client *client;
  hoist_http_exchange *exchange;   /* kept for a late answer */
  hoist_dispatch_receipt *receipt; /* likewise */
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
/* Ends the process with WORLD_NOT_RELEASED when `release` does not run. */
enum { WORLD_NOT_RELEASED = 3 };
void plug_await_released(plug *own);
int plug_released(plug *own);

#endif

/* A plug-in of one kind misbehaves in one way: faults KIND FAULT. Proves G4 and G11: a second client and the
 * evaluating threads do not notice, closing stays within its limit, `release` runs exactly once and not before the
 * last call has returned. */
#define _POSIX_C_SOURCE 200809L
#include "kinds.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The contract's limits. */
enum { DELIVERY_LIMIT_MS = 100, CLOSE_TIMEOUT_MS = 500, CLOSE_LIMIT_MS = 600 };

/* An evaluation, and its count on the service's side. */
static void require_delivery(hoist_client *client, service *network) {
  int before = __atomic_load_n(&network->metrics, __ATOMIC_SEQ_CST);
  stopwatch watch = stopwatch_start();
  REQUIRE(hoist_client_bool(client, "banner", NULL, false, NULL));
  REQUIRE_STATUS(hoist_client_flush(client, 10000), HOIST_OK);
  long long taken = stopwatch_ms(watch);
  REQUIRE(__atomic_load_n(&network->metrics, __ATOMIC_SEQ_CST) > before);
  printf("delivered in %lld ms\n", taken);
  REQUIRE_IN_TIME(taken, DELIVERY_LIMIT_MS);
}

static void require_evaluation(hoist_client *client) {
  /* A storage of the host's that tells of no flag has it off; whatever it is, it stays. */
  bool banner = hoist_client_bool(client, "banner", NULL, true, NULL);
  for (int i = 0; i < 1000; i++) {
    REQUIRE(hoist_client_bool(client, "banner", NULL, true, NULL) == banner);
    REQUIRE(!hoist_client_bool(client, "no such flag", NULL, false, NULL));
  }
}

static void require_close(hoist_client *client, bool may_time_out) {
  stopwatch watch = stopwatch_start();
  hoist_status status = hoist_client_close(client, CLOSE_TIMEOUT_MS);
  long long taken = stopwatch_ms(watch);
  printf("closed in %lld ms: %s\n", taken, hoist_status_name(status));
  REQUIRE_IN_TIME(taken, CLOSE_LIMIT_MS);
  REQUIRE(status == HOIST_OK || (may_time_out && status == HOIST_ERR_TIMEOUT));
  REQUIRE(hoist_client_get_state(client) == HOIST_CLIENT_CLOSED);
}

/* The answers that were kept, when nobody waits for them any more. */
static void answer_late(plug *own) {
  if (own->exchange) {
    while (!hoist_http_exchange_is_cancelled(own->exchange)) sched_yield(); /* the alarm is its limit */
    REQUIRE_STATUS(hoist_http_exchange_respond(own->exchange, 200, NULL, 0, "{}", 2), HOIST_ERR_STATE);
    hoist_http_exchange_release(own->exchange);
    own->exchange = NULL;
  }
  if (own->lookup) REQUIRE_STATUS(hoist_flagship_visitor_lookup_reply(own->lookup, "{}", 2), HOIST_ERR_NOT_FOUND);
  own->lookup = NULL;
  if (own->hit_lookup) REQUIRE_STATUS(hoist_flagship_hit_lookup_reply(own->hit_lookup, "{}", 2), HOIST_ERR_NOT_FOUND);
  own->hit_lookup = NULL;
  if (own->receipt) hoist_dispatch_receipt_complete(own->receipt, HOIST_OK);
  own->receipt = NULL;
}

static void run(const kind *kind, fault fault) {
  /* Not on the stack: a thread of Hoist's that has just told of its last call may be unlocking still when this ends. */
  static service healthy_network = {0, 0, 0, 200}, network = {0, 0, 0, 200};
  static plug own;
  hoist_transport table = service_transport(&healthy_network);
  hoist_config *config = world_config(&table, "backend");
  hoist_client *healthy = world_open(config);
  hoist_config_free(config);
  REQUIRE_STATUS(hoist_client_wait_ready(healthy, 10000), HOIST_OK);

  plug_init(&own, fault, &network);
  table = service_transport(&network);
  config = world_config(&table, kind->mode);
  if (kind->install) kind->install(&own, config);
  hoist_client *afflicted = world_open(config);
  hoist_config_free(config);
  plug_set_client(&own, afflicted);
  if (kind->provoke) kind->provoke(&own, afflicted);
  plug_await_entered(&own, 1);

  require_delivery(healthy, &healthy_network);
  require_evaluation(afflicted);
  if (fault == OVERDUE) answer_late(&own);
  REQUIRE(plug_released(&own) == 0 || strcmp(kind->name, "observer") == 0);
  if (fault == SLOW) plug_open_gate(&own);
  require_close(afflicted, fault == STUCK || fault == LATE || fault == FAIL || fault == GARBAGE);
  require_close(afflicted, true);
  require_evaluation(afflicted);
  bool is_on_own_thread = !own.sticks_once;
  if (is_on_own_thread) hoist_client_free(afflicted);
  if (fault == STUCK) REQUIRE(plug_released(&own) == 0);
  answer_late(&own);
  require_delivery(healthy, &healthy_network);

  plug_open_gate(&own);
  await_evaluating_thread();
  if (!is_on_own_thread) hoist_client_free(afflicted); /* not while the host itself is inside an evaluation */
  require_delivery(healthy, &healthy_network);
  REQUIRE_STATUS(hoist_client_close(healthy, 10000), HOIST_OK);
  hoist_client_free(healthy);
  plug_await_released(&own); /* a second time would end the process there */
  REQUIRE(plug_released(&own) == 1);
  service_await_released(&healthy_network);
  service_await_released(&network);
}

int main(int argc, char **argv) {
  static const char *const faults[] = {"stuck", "slow",    "late",    "overdue", "twice", "answer_and_fail",
                                       "fail",  "garbage", "reenter", "fork"};
  const kind *kind = argc == 3 ? kind_named(argv[1]) : NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(60);
  witness_start();
  for (int i = 0; kind && i <= FORK; i++) {
    if (strcmp(faults[i], argv[2]) != 0) continue;
    run(kind, (fault)i);
    return 0;
  }
  fputs("usage: faults KIND FAULT\n", stderr);
  return 2;
}

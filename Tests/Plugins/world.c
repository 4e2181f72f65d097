#define _POSIX_C_SOURCE 200809L
#include "kinds.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const features =
    "{\"version\":1,\"features\":[{\"name\":\"banner\",\"enabled\":true,\"strategies\":[{\"name\":\"default\"}]},"
    "{\"name\":\"picky\",\"enabled\":true,\"strategies\":[{\"name\":\"custom\",\"parameters\":{\"mood\":\"good\"}}]}]}";
static const char *const toggles =
    "{\"toggles\":[{\"name\":\"banner\",\"enabled\":true,\"impressionData\":false,"
    "\"variant\":{\"name\":\"disabled\",\"enabled\":false}}]}";
static const char *const campaigns =
    "{\"campaigns\":[{\"id\":\"c\",\"type\":\"ab\",\"variationGroups\":[{\"id\":\"g\",\"targeting\":{\"targetingGroups\":"
    "[{\"targetings\":[{\"operator\":\"EQUALS\",\"key\":\"fs_all_users\",\"value\":\"\"}]}]},\"variations\":[{\"id\":\"v\","
    "\"allocation\":100,\"modifications\":{\"type\":\"JSON\",\"value\":{\"banner\":true}}}]}]}]}";

void world_fail(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: %s\n", file, line, condition);
  _exit(1);
}

void world_require_status(const char *file, int line, const char *call, hoist_status actual, hoist_status expected) {
  if (actual == expected) return;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, hoist_status_name(actual));
  _exit(1);
}

void world_require_in_time(const char *file, int line, long long milliseconds, long long limit) {
  if (milliseconds <= limit) return;
  fprintf(stderr, "%s:%d: %lld ms, the limit is %lld ms\n", file, line, milliseconds, limit);
  _exit(WORLD_TOO_LATE);
}

/* ---- Time ---- */

static long long now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static long long overslept_us;

static void *watch_the_machine(void *unused) {
  for (;;) {
    long long before = now_us();
    pause_ms(2);
    long long late = now_us() - before - 2000;
    if (late > 2000) __atomic_fetch_add(&overslept_us, late, __ATOMIC_SEQ_CST);
  }
  return unused;
}

void witness_start(void) {
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, watch_the_machine, NULL) == 0);
  pthread_detach(thread);
}

stopwatch stopwatch_start(void) {
  stopwatch watch = {now_us() - __atomic_load_n(&overslept_us, __ATOMIC_SEQ_CST)};
  return watch;
}

long long stopwatch_ms(stopwatch watch) {
  long long now = now_us();
  pause_ms(5); /* the witness notes a delay when it is over */
  return (now - watch.started_us - __atomic_load_n(&overslept_us, __ATOMIC_SEQ_CST)) / 1000;
}

/* ---- The service ---- */

void service_answer(service *own, const hoist_http_request *request, hoist_http_exchange *exchange) {
  bool is_frontend = strstr(request->url, "/frontend") != NULL;
  if (strcmp(request->method, "GET") == 0) {
    const char *flags = strstr(request->url, "bucketing.json") ? campaigns : is_frontend ? toggles : features;
    __atomic_fetch_add(&own->fetches, 1, __ATOMIC_SEQ_CST);
    hoist_http_exchange_respond(exchange, own->status_of_fetches, NULL, 0, flags, strlen(flags));
  } else {
    if (strstr(request->url, "/client/metrics")) __atomic_fetch_add(&own->metrics, 1, __ATOMIC_SEQ_CST);
    hoist_http_exchange_respond(exchange, 202, NULL, 0, NULL, 0);
  }
}

static hoist_status carry(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  REQUIRE(__atomic_load_n(&((service *)user_data)->released, __ATOMIC_SEQ_CST) == 0);
  service_answer(user_data, request, exchange);
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static void release_service(void *user_data) {
  service *own = user_data;
  REQUIRE(__atomic_fetch_add(&own->released, 1, __ATOMIC_SEQ_CST) == 0);
}

void service_await_released(service *own) {
  for (long waited = 0; __atomic_load_n(&own->released, __ATOMIC_SEQ_CST) == 0; waited += 5) {
    REQUIRE(waited < WORLD_PATIENCE_S * 1000L);
    pause_ms(5);
  }
}

hoist_transport service_transport(service *own) {
  hoist_transport table = {sizeof table, own, carry, release_service};
  return table;
}

/* ---- Clients ---- */

void world_set(hoist_config *config, const char *name, const char *value) {
  REQUIRE_STATUS(hoist_config_set(config, name, value, NULL), HOIST_OK);
}

static hoist_config *flagship_config(void) {
  hoist_config *config = hoist_config_new("flagship");
  world_set(config, "env_id", "hoistsampleenv000001");
  world_set(config, "api_key", "key");
  world_set(config, "mode", "bucketing");
  world_set(config, "cdn.url", "http://flags.example");
  world_set(config, "events.url", "http://flags.example");
  world_set(config, "bucketing", campaigns);
  return config;
}

static hoist_config *unleash_config(const char *mode) {
  bool is_frontend = strcmp(mode, "frontend") == 0;
  hoist_config *config = hoist_config_new("unleash");
  world_set(config, "mode", mode);
  world_set(config, "url", is_frontend ? "http://flags.example/api/frontend" : "http://flags.example/api");
  world_set(config, "key", "default:production.secret");
  world_set(config, "bootstrap", is_frontend ? toggles : features);
  return config;
}

hoist_config *world_config(const hoist_transport *transport, const char *mode) {
  hoist_config *config = strcmp(mode, "flagship") == 0   ? flagship_config()
                         : strcmp(mode, "provider") == 0 ? provider_config()
                                                         : unleash_config(mode);
  world_set(config, "store", "none");
  world_set(config, "log.level", "none");
  REQUIRE_STATUS(hoist_config_set_transport(config, transport, NULL), HOIST_OK);
  return config;
}

hoist_client *world_open(const hoist_config *config) {
  hoist_client *client = NULL;
  REQUIRE_STATUS(hoist_client_open(config, &client, NULL), HOIST_OK);
  return client;
}

/* ---- Misbehaviour ---- */

static bool is_child;

void plug_init(plug *own, fault fault, service *network) {
  memset(own, 0, sizeof *own);
  own->fault = fault;
  own->network = network;
  pthread_mutex_init(&own->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&own->changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

static void call_back_into_hoist(hoist_client *client) {
  hoist_event event = {sizeof event, 1.0, true, NULL, 0};
  (void)hoist_client_bool(client, "banner", NULL, false, NULL);
  hoist_status tracked = hoist_client_track(client, "from a plug-in", NULL, &event);
  hoist_status refreshed = hoist_client_refresh(client);
  bool is_closing = hoist_client_get_state(client) == HOIST_CLIENT_CLOSED; /* what is left may be sent meanwhile */
  REQUIRE(tracked == HOIST_OK || (is_closing && tracked == HOIST_ERR_STATE));
  REQUIRE(refreshed == HOIST_OK || (is_closing && refreshed == HOIST_ERR_STATE));
  hoist_text_free(hoist_client_statistics(client));
}

/* On Hoist's own threads, the calls that wait are refused. */
static void try_what_waits(hoist_client *client) {
  REQUIRE_STATUS(hoist_client_close(client, 1000), HOIST_ERR_STATE);
  REQUIRE_STATUS(hoist_client_flush(client, 1000), HOIST_ERR_STATE);
  REQUIRE_STATUS(hoist_client_wait_ready(client, 1000), HOIST_ERR_STATE);
}

static void fork_a_child(hoist_client *client) {
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    is_child = true;
    sigset_t alarms; /* the threads of the library block all signals */
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(20);
    _exit(hoist_client_bool(client, "banner", NULL, true, NULL) ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

void plug_enter(plug *own) {
  if (is_child) return;
  bool calls_back = own->fault == REENTER || own->fault == FORK;
  pthread_mutex_lock(&own->lock);
  int number = ++own->entered;
  own->inside++;
  pthread_cond_broadcast(&own->changed);
  bool sticks = (own->fault == STUCK || own->fault == SLOW) && (number == 1 || !own->sticks_once);
  while (sticks && !own->is_open) pthread_cond_wait(&own->changed, &own->lock);
  /* A plug-in may be called before the host has the handle. */
  while (calls_back && !own->client) pthread_cond_wait(&own->changed, &own->lock);
  hoist_client *client = own->client;
  pthread_mutex_unlock(&own->lock);
  /* What it does has news for it in turn: a few rounds are enough. */
  if (own->fault == REENTER && number <= 3) {
    call_back_into_hoist(client);
    if (!own->sticks_once) try_what_waits(client);
  }
  if (own->fault == FORK && number == 1) fork_a_child(client);
}

void plug_leave(plug *own) {
  if (is_child) return;
  pthread_mutex_lock(&own->lock);
  own->inside--;
  pthread_cond_broadcast(&own->changed);
  pthread_mutex_unlock(&own->lock);
}

void plug_release(void *user_data) {
  plug *own = user_data;
  pthread_mutex_lock(&own->lock);
  REQUIRE(own->inside == 0);
  REQUIRE(own->released == 0);
  own->released++;
  pthread_cond_broadcast(&own->changed);
  pthread_mutex_unlock(&own->lock);
}

void plug_set_client(plug *own, hoist_client *client) {
  pthread_mutex_lock(&own->lock);
  own->client = client;
  pthread_cond_broadcast(&own->changed);
  pthread_mutex_unlock(&own->lock);
}

void plug_open_gate(plug *own) {
  pthread_mutex_lock(&own->lock);
  own->is_open = true;
  pthread_cond_broadcast(&own->changed);
  pthread_mutex_unlock(&own->lock);
}

/* These wait for as long as it takes: the alarm of the whole program is their limit. */
void plug_await_entered(plug *own, int times) {
  pthread_mutex_lock(&own->lock);
  bool stays = own->fault == STUCK || own->fault == SLOW;
  while (own->entered < times || (!stays && own->inside > 0)) pthread_cond_wait(&own->changed, &own->lock);
  pthread_mutex_unlock(&own->lock);
}

bool plug_has_entered(plug *own) {
  pthread_mutex_lock(&own->lock);
  bool has_entered = own->entered > 0;
  pthread_mutex_unlock(&own->lock);
  return has_entered;
}

void plug_await_released(plug *own) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += WORLD_PATIENCE_S;
  pthread_mutex_lock(&own->lock);
  while (own->released == 0 && pthread_cond_timedwait(&own->changed, &own->lock, &deadline) == 0) continue;
  REQUIRE(own->released > 0);
  pthread_mutex_unlock(&own->lock);
}

int plug_released(plug *own) {
  pthread_mutex_lock(&own->lock);
  int released = own->released;
  pthread_mutex_unlock(&own->lock);
  return released;
}

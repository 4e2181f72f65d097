/* Caches of the host's in which a change never returns: it is left to itself after two seconds, what is kept by the library
 * goes on, and so does the host, which closes in time (G4, G11). */
#include <hoist/flagship.h>
#include <hoist/plugin.h>

#include "check.h"
#include "flagship_visitors.h"
#include "host.h"
#include "told.h"

/* Two seconds are a change's limit; a busy machine adds to that. */
static const double limit_seconds = 6;

/* The first call of this member does not return before the gate is opened. */
typedef enum member { CACHE, FLUSH, FLUSH_ALL, MEMBERS } member;

typedef struct world {
  member stuck;
  int is_open, entered, left;  /* the gate, and who has come to it and gone through */
  int calls[MEMBERS];
  char cached[8192];           /* all that was, one a line */
  char bodies[16384];          /* of all batches of hits that were taken */
  int refuses;                 /* the dispatcher does */
  int released;
} world;

static hoist_status call(world *it, member which) {
  bool waits;
  pthread_mutex_lock(&lock);
  it->calls[which]++;
  waits = which == it->stuck && it->entered == 0;
  if (waits) it->entered++;
  pthread_mutex_unlock(&lock);
  if (!waits) return HOIST_OK;
  while (!read_int(&it->is_open)) usleep(1000);
  pthread_mutex_lock(&lock);
  it->left++;
  pthread_mutex_unlock(&lock);
  return HOIST_OK;
}

static void keep(world *it, const char *json, size_t length) {
  pthread_mutex_lock(&lock);
  size_t before = strlen(it->cached);
  snprintf(it->cached + before, sizeof it->cached - before, "%.*s\n", (int)length, json);
  pthread_mutex_unlock(&lock);
}

static bool stands(const char *place, const char *text) {
  pthread_mutex_lock(&lock);
  bool is_there = strstr(place, text) != NULL;
  pthread_mutex_unlock(&lock);
  return is_there;
}

static bool has(const char *place, const char *text) {
  int left;
  for (left = 10000; left > 0 && !stands(place, text); left--) usleep(1000);
  if (left == 0) printf("#   there is no %s\n", text);
  return left > 0;
}

static void let_go(void *user_data) {
  pthread_mutex_lock(&lock);
  ((world *)user_data)->released++;
  pthread_mutex_unlock(&lock);
}

/* The call that is stuck goes on; only then is the last reference to the cache gone. */
static bool open_gate(world *it) {
  bool was_held = read_int(&it->released) == 0 && read_int(&it->left) == 0;
  set_int(&it->is_open, true);
  return was_held && reaches(&it->left, 1) && reaches(&it->released, 1);
}

static bool counts_one(hoist_client *client, const char *group, const char *name) {
  int left;
  for (left = 10000; left > 0 && host_statistic(client, group, name) != 1; left--) usleep(1000);
  return left > 0;
}

/* A close, and the freeing of the client, with a call that is stuck. */
static bool closes_in_time(hoist_client *client) {
  double start = host_seconds();
  hoist_status status = hoist_client_close(client, 500);
  double taken = host_seconds() - start;
  printf("# closed in %.3f s: %s\n", taken, hoist_status_name(status));
  hoist_client_free(client);
  return (status == HOIST_OK || status == HOIST_ERR_TIMEOUT) && taken < 5 && host_seconds() - start < 10;
}

/* ---- Visitors ------------------------------------------------------------------------------------------------ */

static void visitor_cache(void *user_data, const char *visitor_id, const char *json, size_t length) {
  (void)visitor_id;
  if (call((world *)user_data, CACHE) == HOIST_OK) keep((world *)user_data, json, length);
}
static void visitor_lookup(void *user_data, const char *visitor_id, hoist_flagship_visitor_lookup *lookup) {
  (void)user_data;
  (void)visitor_id;
  (void)hoist_flagship_visitor_lookup_reply(lookup, NULL, 0);
}
static void visitor_flush(void *user_data, const char *visitor_id) {
  (void)visitor_id;
  (void)call((world *)user_data, FLUSH);
}

static hoist_client *with_visitor_cache(world *it) {
  hoist_config *config = flagship();
  hoist_flagship_visitor_cache cache = {sizeof cache, it, visitor_cache, visitor_lookup, visitor_flush, let_go};
  if (hoist_flagship_config_set_visitor_cache(config, &cache, NULL) != HOIST_OK) exit(70);
  return host_open(config);
}

static void check_visitors(world *it, member which) {
  hoist_client *client;
  hoist_flagship_visitor *visitor, *other;
  hoist_text *value = NULL;
  it->stuck = which;
  client = with_visitor_cache(it);
  visitor = visitor_of(client, "v", NULL);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  CHECK(reaches(&it->calls[CACHE], 1));
  CHECK_INT(hoist_flagship_visitor_set_consent(visitor, false), HOIST_OK);
  CHECK(reaches(&it->entered, 1));
  double start = host_seconds();
  /* Behind it nobody waits longer than for a look-up, and flags are there. */
  other = visitor_of(client, "w", NULL);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(other, 5000), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_string(other, "f", "none", false, &value), HOIST_OK);
  CHECK(reads(value, "x"));
  CHECK(counts_one(client, "visitor_cache", "stuck"));
  CHECK(host_seconds() - start < limit_seconds);
  CHECK(host_statistic(client, "visitor_cache", "dropped") >= 1);
  /* And from then on changes are made again, those that waited first, whoever's they are. */
  CHECK_INT(hoist_flagship_visitor_fetch_wait(other, 5000), HOIST_OK);
  CHECK(has(it->cached, "\"visitorId\":\"w\""));
  CHECK(reaches(&it->calls[FLUSH], 1));
  hoist_flagship_visitor_free(visitor);
  hoist_flagship_visitor_free(other);
  CHECK(closes_in_time(client));
  CHECK(open_gate(it));
}

/* (FS-22, FS-102; slow plug-in, no consent, closing) */
TEST(a_visitor_cache_that_never_returns_from_cache_is_set_aside) {
  static world it;
  check_visitors(&it, CACHE);
}

/* (FS-22, FS-104; slow plug-in, no consent, closing) */
TEST(a_visitor_cache_that_never_returns_from_flush_is_set_aside) {
  static world it;
  check_visitors(&it, FLUSH);
}

/* ---- Hits ---------------------------------------------------------------------------------------------------- */

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
  world *it = (world *)user_data;
  bool refuses = read_int(&it->refuses);
  if (!refuses && strcmp(batch->pipeline, "hits") == 0) {
    pthread_mutex_lock(&lock);
    size_t length = strlen(it->bodies);
    snprintf(it->bodies + length, sizeof it->bodies - length, "%.*s\n", (int)batch->body_size, (const char *)batch->body);
    pthread_mutex_unlock(&lock);
  }
  hoist_dispatch_receipt_complete(receipt, refuses ? HOIST_ERR_NETWORK : HOIST_OK);
  return HOIST_OK;
}

static hoist_status hit_cache(void *user_data, const char *json, size_t length) {
  keep((world *)user_data, json, length);
  return call((world *)user_data, CACHE);
}
static hoist_status hit_lookup(void *user_data, hoist_flagship_hit_lookup *lookup) {
  (void)user_data;
  return hoist_flagship_hit_lookup_reply(lookup, NULL, 0);
}
static hoist_status hit_flush(void *user_data, const char *const *ids, size_t count) {
  (void)ids;
  (void)count;
  return call((world *)user_data, FLUSH);
}
static hoist_status hit_flush_all(void *user_data) { return call((world *)user_data, FLUSH_ALL); }

static hoist_client *with_hit_cache(world *it, const char *strategy) {
  hoist_config *config = flagship();
  hoist_dispatcher dispatcher = {sizeof dispatcher, it, dispatch, NULL};
  hoist_flagship_hit_cache cache = {sizeof cache, it, hit_cache, hit_lookup, hit_flush, hit_flush_all, let_go};
  host_set(config, "hits.strategy", strategy);
  host_set(config, "hits.batch_interval", "3600");
  if (hoist_config_set_dispatcher(config, &dispatcher, NULL) != HOIST_OK) exit(70);
  if (hoist_flagship_config_set_hit_cache(config, &cache, NULL) != HOIST_OK) exit(70);
  return host_open(config);
}

/* The service gets it, as often as it may have been refused. */
static bool arrives(hoist_client *client, world *it, const char *text) {
  int left;
  for (left = 1000; left > 0 && !stands(it->bodies, text); left--) (void)hoist_client_flush(client, 10);
  return has(it->bodies, text);
}

/* Whether the cache has it by then is in the status. */
static bool sends(hoist_flagship_visitor *visitor, const char *location, hoist_status expected) {
  double start = host_seconds();
  hoist_flagship_hit *hit = hoist_flagship_hit_new_screen(location);
  hoist_status status = hoist_flagship_visitor_send_hit(visitor, hit, NULL);
  hoist_flagship_hit_free(hit);
  if (status != expected) printf("#   %s instead of %s\n", hoist_status_name(status), hoist_status_name(expected));
  return status == expected && host_seconds() - start < 5;
}

/* Hits are sent while a change is stuck, and cached again once it is set aside. */
static void check_hits(world *it, member which, const char *strategy) {
  hoist_client *client;
  hoist_flagship_visitor *visitor;
  double start;
  it->stuck = which;
  client = with_hit_cache(it, strategy);
  visitor = visitor_of(client, "v", NULL);
  CHECK(sends(visitor, "first", which == CACHE ? HOIST_ERR_UNSAVED : HOIST_OK));
  if (which == CACHE) CHECK(reaches(&it->entered, 1));
  else CHECK(has(it->cached, "\"first\""));
  CHECK(arrives(client, it, "\"first\""));
  CHECK(reaches(&it->entered, 1));
  start = host_seconds();
  CHECK(sends(visitor, "second", which == FLUSH_ALL ? HOIST_OK : HOIST_ERR_UNSAVED));
  CHECK(arrives(client, it, "\"second\""));
  CHECK(counts_one(client, "hit_cache", "failures"));
  CHECK(host_seconds() - start < limit_seconds);
  /* What failed is asked for again. */
  if (which != CACHE) CHECK(reaches(&it->calls[which], 2));
  /* What cannot be sent is kept. */
  set_int(&it->refuses, true);
  CHECK(sends(visitor, "third", which == CACHE ? HOIST_ERR_UNSAVED : HOIST_OK));
  CHECK(has(it->cached, "\"third\""));
  set_int(&it->refuses, false);
  CHECK(arrives(client, it, "\"third\""));
  hoist_flagship_visitor_free(visitor);
  CHECK(closes_in_time(client));
  CHECK(open_gate(it));
}

/* (FS-18, FS-101, FS-105; slow plug-in, closing) */
TEST(a_hit_cache_that_never_returns_from_cache_is_set_aside) {
  static world it;
  check_hits(&it, CACHE, "continuous_caching");
}

/* (FS-18, FS-107; slow plug-in, closing) */
TEST(a_hit_cache_that_never_returns_from_flush_is_set_aside) {
  static world it;
  check_hits(&it, FLUSH, "continuous_caching");
}

/* (FS-18, FS-108; slow plug-in, closing) */
TEST(a_hit_cache_that_never_returns_from_flush_all_is_set_aside) {
  static world it;
  check_hits(&it, FLUSH_ALL, "periodic_caching");
}

/* The service refuses as well: the hit waits here, is cached once the call that is stuck has been set aside, and sent
 * (FS-18, FS-101, FS-105; slow plug-in, failing). */
TEST(hits_that_a_stuck_cache_has_not_taken_are_cached_again) {
  static world it;
  hoist_client *client;
  hoist_flagship_visitor *visitor;
  set_int(&it.refuses, true);
  client = with_hit_cache(&it, "continuous_caching");
  visitor = visitor_of(client, "v", NULL);
  CHECK(sends(visitor, "first", HOIST_ERR_UNSAVED));
  CHECK(counts_one(client, "hit_cache", "failures"));
  CHECK(sends(visitor, "second", HOIST_ERR_UNSAVED));
  CHECK(reaches(&it.calls[CACHE], 2) && has(it.cached, "\"second\""));
  set_int(&it.refuses, false);
  CHECK(arrives(client, &it, "\"first\"") && arrives(client, &it, "\"second\""));
  hoist_flagship_visitor_free(visitor);
  CHECK(closes_in_time(client));
  CHECK(open_gate(&it));
}

int main(void) {
  RUN(a_visitor_cache_that_never_returns_from_cache_is_set_aside);
  RUN(a_visitor_cache_that_never_returns_from_flush_is_set_aside);
  RUN(a_hit_cache_that_never_returns_from_cache_is_set_aside);
  RUN(a_hit_cache_that_never_returns_from_flush_is_set_aside);
  RUN(a_hit_cache_that_never_returns_from_flush_all_is_set_aside);
  RUN(hits_that_a_stuck_cache_has_not_taken_are_cached_again);
  return check_summary();
}

/* A cache of Flagship's visitors that is the host's own: it answers, answers late, or never returns. */
#include "flagship_visitors.h"

static const char *cached = NULL;
static int is_late, is_stuck;
static hoist_flagship_visitor_lookup *late_lookup;

static void cache_cache(void *user_data, const char *visitor_id, const char *json, size_t length) {
  char line[100];
  snprintf(line, sizeof line, "cache:%s:%d", visitor_id, length == strlen(json) && strstr(json, "\"f\":\"x\"") != NULL);
  note((notes *)user_data, line);
}

static void cache_lookup(void *user_data, const char *visitor_id, hoist_flagship_visitor_lookup *lookup) {
  char line[100];
  snprintf(line, sizeof line, "lookup:%s", visitor_id);
  note((notes *)user_data, line);
  if (read_int(&is_stuck)) {
    for (;;) pause();
  }
  if (read_int(&is_late)) {
    pthread_mutex_lock(&lock);
    late_lookup = lookup;
    pthread_mutex_unlock(&lock);
    return;
  }
  (void)hoist_flagship_visitor_lookup_reply(lookup, cached, cached ? strlen(cached) : 0);
  (void)hoist_flagship_visitor_lookup_reply(lookup, "twice", 5);
}

static void cache_flush(void *user_data, const char *visitor_id) {
  char line[100];
  snprintf(line, sizeof line, "flush:%s", visitor_id);
  note((notes *)user_data, line);
}

static hoist_client *caching(notes *told) {
  hoist_config *config = flagship();
  hoist_flagship_visitor_cache cache = {sizeof cache, told, cache_cache, cache_lookup, cache_flush, released};
  set_int(&is_late, false);
  set_int(&is_stuck, false);
  if (hoist_flagship_config_set_visitor_cache(config, &cache, NULL) != HOIST_OK) exit(70);
  return host_open(config);
}

#define RECORD(flags)                                                                                                  \
  "{\"version\":1,\"data\":{\"visitorId\":\"v\",\"campaigns\":[{\"campaignId\":\"c1\",\"variationGroupId\":\"g1\","    \
  "\"variationId\":\"v1\",\"flags\":" flags "}],\"assignationHistory\":{\"g1\":\"v1\"}}}"

/* (FS-22, FS-51, FS-66, FS-100, FS-102 to FS-104; ready, no consent) */
TEST(a_cache_of_the_hosts_is_asked_filled_and_emptied) {
  static notes told, heard;
  cached = RECORD("{\"f\":\"old\"}");
  hoist_client *client = caching(&told);
  hoist_flagship_visitor *visitor = visitor_of(client, "v", &heard);
  CHECK(tells(&told, "lookup:v "));
  CHECK(tells(&heard, "FETCH_REQUIRED/FETCHED_FROM_CACHE "));
  CHECK(holds(hoist_flagship_visitor_export(visitor), "\"flags\":{\"f\":\"old\"}"));
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  CHECK(tells(&told, "cache:v:1 "));
  CHECK_INT(hoist_flagship_visitor_set_consent(visitor, false), HOIST_OK);
  CHECK(tells(&told, "flush:v "));
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  hoist_flagship_visitor_free(visitor);
  hoist_flagship_visitor_options options = options_of("w");
  options.has_consented = false;
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_OK);
  CHECK(tells(&told, "flush:w "));
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
}

/* A look-up may hold somebody up for 200 ms. A busy machine adds to that, but not to each of several. */
enum { ATTEMPTS = 3 };
static const double most_seconds = 1;

/* How long it takes to make a visitor whose look-up never ends: of the first that is made soon enough, else of the last. */
static double quickest_visitor(hoist_client *client, const char *id, hoist_flagship_visitor **visitor) {
  double taken = 0;
  int left;
  for (left = ATTEMPTS; left > 0; left--) {
    double start = host_seconds();
    *visitor = visitor_of(client, id, NULL);
    taken = host_seconds() - start;
    if (taken < most_seconds || left == 1) break;
    hoist_flagship_visitor_free(*visitor);
  }
  return taken;
}

/* The visitor's patience may end a moment before the look-up's own. */
static bool has_given_up(hoist_client *client) {
  int left;
  for (left = 10000; left > 0 && host_statistic(client, "visitor_cache", "given_up") < 1; left--) usleep(1000);
  return left > 0;
}

/* 200 ms, also when the look-up never returns; what comes later is nobody's (FS-23, FS-24; slow plug-in). */
TEST(a_look_up_that_never_ends_holds_nobody_up) {
  static notes told;
  hoist_flagship_visitor *visitor;
  cached = NULL;
  hoist_client *client = caching(&told);
  set_int(&is_late, true);
  double taken = quickest_visitor(client, "v", &visitor);
  CHECK(taken >= 0.15 && taken < most_seconds);
  CHECK_INT(hoist_flagship_visitor_fetch_reason(visitor), HOIST_FLAGSHIP_REASON_VISITOR_CREATE);
  CHECK(has_given_up(client));
  pthread_mutex_lock(&lock);
  hoist_flagship_visitor_lookup *late = late_lookup;
  pthread_mutex_unlock(&lock);
  CHECK_INT(hoist_flagship_visitor_lookup_reply(late, "{}", 2), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_flagship_visitor_lookup_reply(NULL, "{}", 2), HOIST_ERR_NOT_FOUND);
  hoist_flagship_visitor_free(visitor);
  set_int(&is_late, false);
  set_int(&is_stuck, true);
  CHECK(quickest_visitor(client, "w", &visitor) < most_seconds);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

TEST(garbage_in_the_cache_is_nothing) {
  static const char *const garbage[] = {"", "{", "[]", "null", "{\"version\":2,\"data\":{}}", "{\"version\":1}", "\xff\xfe"};
  static notes told;
  size_t index;
  for (index = 0; index < sizeof garbage / sizeof garbage[0]; index++) {
    cached = garbage[index];
    hoist_client *client = caching(&told);
    hoist_flagship_visitor *visitor = visitor_of(client, "v", NULL);
    CHECK_INT(hoist_flagship_visitor_fetch_reason(visitor), HOIST_FLAGSHIP_REASON_VISITOR_CREATE);
    hoist_flagship_visitor_free(visitor);
    hoist_client_free(client);
  }
}

int main(void) {
  RUN(a_cache_of_the_hosts_is_asked_filled_and_emptied);
  RUN(a_look_up_that_never_ends_holds_nobody_up);
  RUN(garbage_in_the_cache_is_nothing);
  return check_summary();
}

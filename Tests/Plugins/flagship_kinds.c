/* Flagship's caches of the host's: of visitors and of hits. */
#define _POSIX_C_SOURCE 200809L
#include "kinds.h"
#include <hoist/flagship.h>
#include <stdint.h>
#include <string.h>

static const char garbage[] = "\xff\xfe{]\r\nGARBAGE: \x01";
static const char of_nobody[] = "{\"version\":1,\"data\":{\"visitorId\":\"somebody else\",\"campaigns\":7}}";

/* ---- Visitors ---- */

static void cache_visitor(void *user_data, const char *id, const char *json, size_t length) {
  plug_enter(user_data);
  REQUIRE(strcmp(id, "anna") == 0 && length > 0 && json[0] == '{' && json[length - 1] == '}'); /* also after a long sleep */
  plug_leave(user_data);
}
static void look_visitor_up(void *user_data, const char *id, hoist_flagship_visitor_lookup *lookup) {
  plug *own = user_data;
  plug_enter(own);
  REQUIRE(strcmp(id, "anna") == 0);
  switch (own->fault) {
  case LATE:
    pthread_mutex_lock(&own->lock);
    own->lookup = lookup;
    pthread_mutex_unlock(&own->lock);
    break;
  case GARBAGE:
    REQUIRE(hoist_flagship_visitor_lookup_reply(NULL, "{}", 2) != HOIST_OK);
    REQUIRE_STATUS(hoist_flagship_visitor_lookup_reply(lookup, garbage, sizeof garbage), HOIST_ERR_ARGUMENT);
    break;
  case TWICE:
    REQUIRE_STATUS(hoist_flagship_visitor_lookup_reply(lookup, of_nobody, sizeof of_nobody - 1), HOIST_OK);
    REQUIRE_STATUS(hoist_flagship_visitor_lookup_reply(lookup, "{}", 2), HOIST_ERR_NOT_FOUND);
    break;
  case FAIL: break; /* never answered */
  default: (void)hoist_flagship_visitor_lookup_reply(lookup, NULL, 0);
  }
  plug_leave(own);
}
static void flush_visitor(void *user_data, const char *id) {
  plug_enter(user_data);
  REQUIRE(strcmp(id, "anna") == 0);
  plug_leave(user_data);
}

static void install_visitor_cache(plug *own, hoist_config *config) {
  hoist_flagship_visitor_cache table = {sizeof table, own, cache_visitor, look_visitor_up, flush_visitor, plug_release};
  REQUIRE_STATUS(hoist_flagship_config_set_visitor_cache(config, &table, NULL), HOIST_OK);
}

/* Asks the cache, fetches, does something and, for what is kept of it then, refuses. */
static void meet_a_visitor(plug *own, hoist_client *client) {
  hoist_flagship_visitor_options options;
  hoist_flagship_visitor *visitor = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = "anna";
  options.has_consented = true;
  REQUIRE_STATUS(hoist_client_wait_ready(client, 10000), HOIST_OK);
  REQUIRE_STATUS(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_OK);
  REQUIRE_STATUS(hoist_flagship_visitor_fetch_wait(visitor, 10000), HOIST_OK);
  hoist_flagship_hit *hit = hoist_flagship_hit_new_screen("home");
  hoist_status sent = hoist_flagship_visitor_send_hit(visitor, hit, NULL);
  /* A hit cache that does not take it, or not in time, has not stored it. */
  bool has_failed = own->fault == STUCK || own->fault == SLOW || own->fault == FAIL;
  if (sent != HOIST_ERR_UNSAVED || !has_failed) REQUIRE_STATUS(sent, HOIST_OK);
  hoist_flagship_hit_free(hit);
  REQUIRE_STATUS(hoist_flagship_visitor_set_consent(visitor, false), HOIST_OK);
  hoist_flagship_visitor_free(visitor);
}

/* ---- Hits ---- */

static const char no_hits[] = "{\"a\":7,\"b\":{\"version\":1,\"data\":{\"type\":\"NOTHING\"}}}";

/* Of a change: those that answer twice have nothing to answer with. */
static hoist_status outcome(const plug *own) { return own->fault == FAIL ? HOIST_ERR_NETWORK : HOIST_OK; }

static hoist_status cache_hits(void *user_data, const char *json, size_t length) {
  plug_enter(user_data);
  REQUIRE(length > 2 && json[0] == '{' && json[length - 1] == '}'); /* also after a long sleep */
  plug_leave(user_data);
  return outcome(user_data);
}
static hoist_status look_hits_up(void *user_data, hoist_flagship_hit_lookup *lookup) {
  plug *own = user_data;
  plug_enter(own);
  switch (own->fault) {
  case LATE:
    pthread_mutex_lock(&own->lock);
    own->hit_lookup = lookup;
    pthread_mutex_unlock(&own->lock);
    break;
  case GARBAGE:
    REQUIRE(hoist_flagship_hit_lookup_reply(NULL, "{}", 2) != HOIST_OK);
    REQUIRE_STATUS(hoist_flagship_hit_lookup_reply(lookup, garbage, sizeof garbage), HOIST_ERR_ARGUMENT);
    break;
  case TWICE:
    REQUIRE_STATUS(hoist_flagship_hit_lookup_reply(lookup, no_hits, sizeof no_hits - 1), HOIST_OK);
    REQUIRE_STATUS(hoist_flagship_hit_lookup_reply(lookup, "{}", 2), HOIST_ERR_NOT_FOUND);
    break;
  case FAIL: break; /* by its status */
  default: (void)hoist_flagship_hit_lookup_reply(lookup, NULL, 0);
  }
  plug_leave(own);
  return outcome(own);
}
static hoist_status flush_hits(void *user_data, const char *const *ids, size_t count) {
  plug_enter(user_data);
  REQUIRE(count > 0);
  for (size_t i = 0; i < count; i++) REQUIRE(strlen(ids[i]) > 0);
  plug_leave(user_data);
  return outcome(user_data);
}
static hoist_status flush_all_hits(void *user_data) {
  plug_enter(user_data);
  plug_leave(user_data);
  return outcome(user_data);
}

static void install_hit_cache(plug *own, hoist_config *config) {
  hoist_flagship_hit_cache table = {sizeof table, own, cache_hits, look_hits_up, flush_hits, flush_all_hits, plug_release};
  REQUIRE_STATUS(hoist_flagship_config_set_hit_cache(config, &table, NULL), HOIST_OK);
}

const kind flagship_kinds[] = {
    {"flagship_visitor_cache", "flagship", install_visitor_cache, meet_a_visitor},
    {"flagship_hit_cache", "flagship", install_hit_cache, meet_a_visitor},
    {NULL, NULL, NULL, NULL},
};

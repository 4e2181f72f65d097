/* A host of Flagship that does what it is told, line by line: flagship_host PROPERTIES < LINES
 *
 *   visitor NAME consented|refused   makes one; all have the context of nobody else
 *   fetch NAME                       and waits
 *   flag NAME KEY                    tells its value as JSON, and exposes it
 *   value NAME KEY                   the same, and nobody counts
 *   screen NAME LOCATION             a hit: "recorded", or "late" where the call took as long as it may wait for the store
 *   consent NAME consented|refused   likewise "consented", "consented-not", or "consented-late"
 *   reason NAME                      why flags have to be fetched
 *   flush | refresh | close
 *   leave                            closes, at once, and does not mind what is left
 *
 * What has been done is told in a line of its own before the next one is begun. */
#include "host_calls.h"
#include <hoist/flagship.h>

enum { VISITORS = 8, NAME_BYTES = 64 };

/* How long calls may wait for the store, as their headers say: then nothing is promised. */
enum { HIT_LIMIT_MS = 500, REFUSAL_LIMIT_MS = 2000 };

static struct {
  char name[NAME_BYTES];
  hoist_flagship_visitor *visitor;
} visitors[VISITORS];

static hoist_flagship_visitor *visitor_named(const char *name) {
  for (int i = 0; i < VISITORS; i++) {
    if (visitors[i].visitor && strcmp(visitors[i].name, name) == 0) return visitors[i].visitor;
  }
  require(false, "no such visitor");
  return NULL;
}

static bool is_consent(const char *word) {
  require(strcmp(word, "consented") == 0 || strcmp(word, "refused") == 0, "no answer about consent");
  return word[0] == 'c';
}

static void make_visitor(hoist_client *client, const char *name, bool has_consented) {
  hoist_flagship_visitor_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = name;
  options.has_consented = has_consented;
  options.instance = HOIST_FLAGSHIP_NEW_INSTANCE;
  for (int i = 0; i < VISITORS; i++) {
    if (visitors[i].visitor) continue;
    snprintf(visitors[i].name, NAME_BYTES, "%s", name);
    require(hoist_flagship_visitor_new(client, &options, &visitors[i].visitor, NULL) == HOIST_OK, "no visitor");
    report("visitor", hoist_flagship_fetch_reason_name(hoist_flagship_visitor_fetch_reason(visitors[i].visitor)));
    return;
  }
  require(false, "too many visitors");
}

/* Its value as JSON, or "none" where there is no such flag. */
static void read_flag(hoist_flagship_visitor *visitor, const char *key, bool exposed) {
  hoist_text *value = NULL;
  hoist_status status = hoist_flagship_visitor_json(visitor, key, NULL, exposed, &value);
  report("flag", status == HOIST_OK ? hoist_text_data(value) : "none");
  hoist_text_free(value);
}

static void send_screen(const char *name, const char *location) {
  hoist_flagship_hit *hit = hoist_flagship_hit_new_screen(location);
  long begun = milliseconds_now();
  hoist_status status = hoist_flagship_visitor_send_hit(visitor_named(name), hit, NULL);
  bool in_time = milliseconds_now() - begun < HIT_LIMIT_MS;
  hoist_flagship_hit_free(hit);
  report(status != HOIST_OK ? "refused" : in_time ? "recorded" : "late", location);
}

static void set_consent(const char *name, bool has_consented) {
  long begun = milliseconds_now();
  require(hoist_flagship_visitor_set_consent(visitor_named(name), has_consented) == HOIST_OK, "no consent set");
  bool in_time = milliseconds_now() - begun < REFUSAL_LIMIT_MS;
  report(has_consented ? "consented" : in_time ? "consented-not" : "consented-late", name);
}

static void obey(hoist_client *client, const char *what, const char *name, const char *more) {
  if (strcmp(what, "visitor") == 0) {
    make_visitor(client, name, is_consent(more));
  } else if (strcmp(what, "fetch") == 0) {
    report("fetched", hoist_status_name(hoist_flagship_visitor_fetch_wait(visitor_named(name), LIMIT_MS)));
  } else if (strcmp(what, "reason") == 0) {
    report("reason", hoist_flagship_fetch_reason_name(hoist_flagship_visitor_fetch_reason(visitor_named(name))));
  } else if (strcmp(what, "flag") == 0) {
    read_flag(visitor_named(name), more, true);
  } else if (strcmp(what, "value") == 0) {
    read_flag(visitor_named(name), more, false);
  } else if (strcmp(what, "screen") == 0) {
    send_screen(name, more);
  } else if (strcmp(what, "consent") == 0) {
    set_consent(name, is_consent(more));
  } else if (strcmp(what, "flush") == 0) {
    report("flushed", hoist_status_name(hoist_client_flush(client, LIMIT_MS)));
  } else if (strcmp(what, "refresh") == 0) {
    report("refreshed", hoist_status_name(hoist_client_refresh(client)));
  } else {
    require(false, "not understood");
  }
}

int main(int argc, char **argv) {
  char line[256], what[NAME_BYTES], name[NAME_BYTES], more[NAME_BYTES];
  if (argc != 2) return 2;
  alarm(300);
  hoist_client *client = open_client("flagship", argv[1]);
  (void)hoist_client_wait_ready(client, 1000);
  what[0] = '\0';
  while (fgets(line, sizeof line, stdin)) {
    name[0] = more[0] = '\0';
    if (sscanf(line, "%63s %63s %63s", what, name, more) < 1) continue;
    if (strcmp(what, "close") == 0 || strcmp(what, "leave") == 0) break;
    obey(client, what, name, more);
  }
  for (int i = 0; i < VISITORS; i++) hoist_flagship_visitor_free(visitors[i].visitor);
  if (strcmp(what, "leave") == 0) {
    leave(client, "host");
  } else {
    finish(client, "host");
  }
  return 0;
}

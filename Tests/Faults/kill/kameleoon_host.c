/* A host of Kameleoon that does what it is told, line by line: kameleoon_host PROPERTIES < LINES
 *
 *   visitor NAME                  opens one
 *   device NAME phone|desktop
 *   custom NAME VALUE             custom data at index 3, which is the mapping identifier
 *   unique NAME                   its code is a unique identifier
 *   consent NAME given|refused
 *   answered NAME                 what the visitor has answered about consent
 *   flag NAME KEY                 whether it is on, by a call of the core
 *   flush | close
 *
 * What has been done is told in a line of its own before the next one is begun. */
#include "host_calls.h"
#include <hoist/kameleoon.h>

enum { VISITORS = 8, NAME_BYTES = 64 };

static struct {
  char name[NAME_BYTES];
  hoist_kameleoon_visitor *visitor;
} visitors[VISITORS];

static hoist_kameleoon_visitor *visitor_named(const char *name) {
  for (int i = 0; i < VISITORS; i++) {
    if (visitors[i].visitor && strcmp(visitors[i].name, name) == 0) return visitors[i].visitor;
  }
  require(false, "no such visitor");
  return NULL;
}

static void open_visitor(hoist_client *client, const char *name) {
  for (int i = 0; i < VISITORS; i++) {
    if (visitors[i].visitor) continue;
    snprintf(visitors[i].name, NAME_BYTES, "%s", name);
    require(hoist_kameleoon_visitor_new(client, name, &visitors[i].visitor, NULL) == HOIST_OK, "no visitor");
    report("visitor", name);
    return;
  }
  require(false, "too many visitors");
}

/* Adds a datum, which is freed. */
static void add(const char *name, hoist_kameleoon_data *data) {
  const hoist_kameleoon_data *list[1] = {data};
  require(hoist_kameleoon_visitor_add_data(visitor_named(name), list, 1, true) == HOIST_OK, "nothing added");
  hoist_kameleoon_data_free(data);
  report("added", name);
}

static void set_consent(const char *name, bool is_given) {
  require(hoist_kameleoon_visitor_set_legal_consent(visitor_named(name), is_given) == HOIST_OK, "no consent set");
  report(is_given ? "consented" : "consented-not", name);
}

static void tell_consent(const char *name) {
  static const char *const words[] = {"unknown", "given", "refused"};
  report("answered", words[hoist_kameleoon_visitor_legal_consent(visitor_named(name))]);
}

static void read_flag(hoist_client *client, const char *name, const char *key) {
  hoist_context *context = hoist_context_new(name);
  report("flag", hoist_client_bool(client, key, context, false, NULL) ? "on" : "off");
  hoist_context_free(context);
}

static void obey(hoist_client *client, const char *what, const char *name, const char *more) {
  if (strcmp(what, "visitor") == 0) {
    open_visitor(client, name);
  } else if (strcmp(what, "device") == 0) {
    add(name, hoist_kameleoon_device(more[0] == 'p' ? HOIST_KAMELEOON_DEVICE_PHONE : HOIST_KAMELEOON_DEVICE_DESKTOP));
  } else if (strcmp(what, "custom") == 0) {
    add(name, hoist_kameleoon_custom_data(3, &more, 1));
  } else if (strcmp(what, "unique") == 0) {
    add(name, hoist_kameleoon_unique_identifier(true));
  } else if (strcmp(what, "consent") == 0) {
    set_consent(name, more[0] == 'g');
  } else if (strcmp(what, "answered") == 0) {
    tell_consent(name);
  } else if (strcmp(what, "flag") == 0) {
    read_flag(client, name, more);
  } else if (strcmp(what, "flush") == 0) {
    report("flushed", hoist_status_name(hoist_client_flush(client, LIMIT_MS)));
  } else {
    require(false, "not understood");
  }
}

int main(int argc, char **argv) {
  char line[256], what[NAME_BYTES], name[NAME_BYTES], more[NAME_BYTES];
  if (argc != 2) return 2;
  alarm(300);
  hoist_client *client = open_client("kameleoon", argv[1]);
  (void)hoist_client_wait_ready(client, 1000);
  while (fgets(line, sizeof line, stdin)) {
    name[0] = more[0] = '\0';
    if (sscanf(line, "%63s %63s %63s", what, name, more) < 1) continue;
    if (strcmp(what, "close") == 0) break;
    obey(client, what, name, more);
  }
  for (int i = 0; i < VISITORS; i++) hoist_kameleoon_visitor_free(visitors[i].visitor);
  finish(client, "host");
  return 0;
}

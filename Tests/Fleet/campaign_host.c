/* One process of the campaign: campaign_host PROPERTIES PLUGIN OPTIONS NAME SEED PEOPLE. It does what it is told, line by line, and
 * tells of each thing in a line of its own, as soon as it is so.
 *
 *   work COUNT ROUND  so often: a person is met, decided for, and something is recorded of it; "done" at the end
 *   decide PERSON     meets one, and decides; "done"
 *   hold PERSON       meets one, and keeps it
 *   refuse PERSON     who consents no more
 *   again             records something of all that are kept, and lets go of them; "done"
 *   settle PERSON     records something of that one until it is stored; "done"
 *   flush | close
 *
 * A person is a number; of each sixteen, one refuses after each round, and is not met again. */
#include "../Faults/kill/host_calls.h"
#include <hoist/flagship.h>
#include <stdint.h>

enum { CLASSES = 16, MOST_HELD = 64, TEXT_BYTES = 96 };

static const char *plugin, *options, *name;
static uint64_t chance;
static int people, recorded;

static struct {
  int person;
  hoist_flagship_visitor *visitor;
} held[MOST_HELD];
static int held_count;

static void load_plugin(hoist_config *config) {
  hoist_error *error = NULL;
  require(hoist_config_load_plugin(config, plugin, options, &error) == HOIST_OK, hoist_error_message(error));
}

/* xorshift64* */
static int draw(int below) {
  chance ^= chance >> 12;
  chance ^= chance << 25;
  chance ^= chance >> 27;
  return (int)(chance * UINT64_C(0x2545F4914F6CDD1D) >> 33) % below;
}

static hoist_flagship_visitor *meet(hoist_client *client, int person) {
  hoist_flagship_visitor_options visitor_options = HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT;
  hoist_flagship_visitor *visitor = NULL;
  char id[TEXT_BYTES];
  snprintf(id, sizeof id, "p%d", person);
  visitor_options.id = id;
  visitor_options.has_consented = true;
  visitor_options.instance = HOIST_FLAGSHIP_NEW_INSTANCE;
  require(hoist_flagship_visitor_new(client, &visitor_options, &visitor, NULL) == HOIST_OK, "no visitor");
  return visitor;
}

static void decide(hoist_flagship_visitor *visitor, int person) {
  char line[TEXT_BYTES];
  hoist_text *value = NULL;
  require(hoist_flagship_visitor_fetch_wait(visitor, LIMIT_MS) == HOIST_OK, "no flags");
  require(hoist_flagship_visitor_json(visitor, "colour", NULL, false, &value) == HOIST_OK, "no flag");
  snprintf(line, sizeof line, "%d %s", person, hoist_text_data(value));
  hoist_text_free(value);
  report("saw", line);
}

static bool record(hoist_flagship_visitor *visitor, int person) {
  char location[TEXT_BYTES], line[2 * TEXT_BYTES];
  snprintf(location, sizeof location, "%s-%d", name, recorded++);
  hoist_flagship_hit *hit = hoist_flagship_hit_new_screen(location);
  hoist_status status = hoist_flagship_visitor_send_hit(visitor, hit, NULL);
  hoist_flagship_hit_free(hit);
  snprintf(line, sizeof line, "%d %s %s", person, location, hoist_status_name(status));
  report("recorded", line);
  return status == HOIST_OK;
}

static void work(hoist_client *client, int count, int turn) {
  while (count-- > 0) {
    int person = draw(people);
    if (person % CLASSES < turn) continue;
    hoist_flagship_visitor *visitor = meet(client, person);
    decide(visitor, person);
    record(visitor, person);
    hoist_flagship_visitor_free(visitor);
  }
}

static void refuse(hoist_client *client, int person) {
  hoist_flagship_visitor *visitor = meet(client, person);
  require(hoist_flagship_visitor_set_consent(visitor, false) == HOIST_OK, "no consent set");
  hoist_flagship_visitor_free(visitor);
}

static void again(void) {
  for (; held_count > 0; held_count--) {
    record(held[held_count - 1].visitor, held[held_count - 1].person);
    hoist_flagship_visitor_free(held[held_count - 1].visitor);
  }
}

static void settle(hoist_client *client, int person) {
  hoist_flagship_visitor *visitor = meet(client, person);
  while (!record(visitor, person)) nanosleep(&(struct timespec){0, 20000000}, NULL); /* until the store works again */
  hoist_flagship_visitor_free(visitor);
}

static void obey(hoist_client *client, const char *what, int first, int second) {
  if (strcmp(what, "work") == 0) {
    work(client, first, second);
  } else if (strcmp(what, "decide") == 0) {
    hoist_flagship_visitor *visitor = meet(client, first);
    decide(visitor, first);
    hoist_flagship_visitor_free(visitor);
  } else if (strcmp(what, "hold") == 0) {
    require(held_count < MOST_HELD, "too many are held");
    held[held_count].person = first;
    held[held_count++].visitor = meet(client, first);
  } else if (strcmp(what, "refuse") == 0) {
    refuse(client, first);
  } else if (strcmp(what, "again") == 0) {
    again();
  } else if (strcmp(what, "settle") == 0) {
    settle(client, first);
  } else if (strcmp(what, "flush") == 0) {
    report("flushed", hoist_status_name(hoist_client_flush(client, LIMIT_MS)));
  } else {
    require(false, "not understood");
  }
  report("done", what);
}

int main(int argc, char **argv) {
  char line[256], what[32];
  if (argc != 7) return 2;
  plugin = argv[2];
  options = argv[3];
  name = argv[4];
  chance = strtoull(argv[5], NULL, 10) * 2 + 1;
  people = atoi(argv[6]);
  hoist_client *client = open_prepared("flagship", argv[1], load_plugin);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  report("done", "open");
  while (fgets(line, sizeof line, stdin)) {
    int first = 0, second = 0;
    if (sscanf(line, "%31s %d %d", what, &first, &second) < 1) continue;
    if (strcmp(what, "close") == 0) break;
    obey(client, what, first, second);
  }
  again();
  report("done", hoist_status_name(hoist_client_close(client, LIMIT_MS)));
  hoist_client_free(client);
  return 0;
}

/* A program that lives for some hours with one service: host SERVICE PROPERTIES HOURS EVENT NAMES. Its threads evaluate and track
 * in bursts; beside them happens what happens to a program in a day. Each event has a number of its own, which is its value, and is
 * reported as soon as it is recorded. EVENT is its key; with NAMES there are so many keys, and the number is what one ends with.
 * Each ten minutes a line of JSON tells how the process does.
 *
 * How its clock runs it does not know: fast_clock.c. */
#include "../Faults/kill/host_calls.h"
#include <dirent.h>
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { WORKERS = 3, EVALUATIONS = 20, TEXT_BYTES = 64, PATIENCE_MS = 600000, MINUTE_MS = 60000, HOUR = 60 };

static const char *const people[] = {"anna", "carl", "dora", "emil", "fred"};
enum { PEOPLE = sizeof people / sizeof *people };

static const char *service, *properties, *event_key;
static int names;
static hoist_client *client;
/* Taken by a burst, and alone while the client is replaced by another one. */
static pthread_rwlock_t uses = PTHREAD_RWLOCK_INITIALIZER;
static atomic_long evaluations, served;
static atomic_int next_number;
static atomic_bool is_over;
static long start_ms;

static void rest(long milliseconds) {
  struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&length, &length) != 0) continue;
}

static void rest_until(long minute) {
  long ahead = start_ms + minute * MINUTE_MS - milliseconds_now();
  if (ahead > 0) rest(ahead);
}

static void evaluate(const char *person) {
  char text[TEXT_BYTES];
  hoist_context *context = person ? hoist_context_new(person) : NULL;
  for (int times = 0; times < EVALUATIONS; times++) {
    evaluations++;
    if (hoist_client_bool(client, "on", context, false, NULL)) served++;
    (void)hoist_client_string(client, "text", context, "none", text, sizeof text, NULL);
  }
  hoist_context_free(context);
}

static void track(void) {
  hoist_event event = HOIST_EVENT_INIT;
  char key[TEXT_BYTES], name[TEXT_BYTES];
  int number = next_number++;
  if (names) {
    snprintf(key, sizeof key, "%s%d", event_key, number % names);
  } else {
    snprintf(key, sizeof key, "%s", event_key);
  }
  snprintf(name, sizeof name, "%d", number);
  event.value = number;
  event.has_value = true;
  hoist_status status = hoist_client_track(client, key, NULL, &event);
  report(status == HOIST_OK ? "recorded" : status == HOIST_ERR_UNSAVED ? "unsaved" : "refused", name);
}

static void *work(void *argument) {
  unsigned chance = (unsigned)(size_t)argument;
  while (!is_over) {
    pthread_rwlock_rdlock(&uses);
    evaluate(chance & 0x10000 ? people[chance % PEOPLE] : NULL);
    track();
    pthread_rwlock_unlock(&uses);
    chance = chance * 1664525 + 1013904223;
    rest(MINUTE_MS / 2 + (long)(chance >> 16) % (2 * MINUTE_MS));
  }
  return NULL;
}

static int entries(const char *folder) {
  int count = -2; /* ".", ".." */
  DIR *open = opendir(folder);
  require(open != NULL, folder);
  while (readdir(open)) count++;
  closedir(open);
  return count;
}

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  require(file && fscanf(file, "%*d %ld", &pages) == 1, "statm");
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* One write, as reports are. */
static void tell(const char *when, long minute) {
  char line[PIPE_BUF];
  hoist_text *statistics = hoist_client_statistics(client);
  int length = snprintf(line, sizeof line,
                        "{\"when\": \"%s\", \"minute\": %ld, \"resident_kib\": %ld, \"heap_kib\": %zu, \"descriptors\": %d, "
                        "\"threads\": %d, \"state\": %d, \"evaluations\": %ld, \"served\": %ld, \"statistics\": %s}\n",
                        when, minute, resident_kib(), mallinfo2().uordblks / 1024, entries("/proc/self/fd") - 1,
                        entries("/proc/self/task"), (int)hoist_client_get_state(client), evaluations, served,
                        hoist_text_data(statistics));
  hoist_text_free(statistics);
  require(length < PIPE_BUF && write(STDOUT_FILENO, line, (size_t)length) == length, "nothing told");
}

static void become(int turn) {
  hoist_context *context = hoist_context_new(people[turn % PEOPLE]);
  (void)hoist_client_identify_wait(client, context, PATIENCE_MS);
  hoist_context_free(context);
}

/* Of other services than these two nothing is known of it. */
static void set_front(bool is_front) {
  (void)hoist_launchdarkly_set_run_mode(client, is_front ? HOIST_LAUNCHDARKLY_FOREGROUND : HOIST_LAUNCHDARKLY_BACKGROUND);
  (void)hoist_optimizely_set_active(client, is_front);
}

static void split(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    evaluate(NULL);
    evaluate(people[0]);
    _exit(0);
  }
  require(child > 0 && waitpid(child, &status, 0) == child, "no child");
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child has not ended well");
}

static void open_one(int turn) {
  client = open_client(service, properties);
  become(turn);
  (void)hoist_client_wait_ready(client, PATIENCE_MS);
}

/* What a close leaves, the next run takes up: what was under way, twice. */
static void close_one(void) {
  hoist_status status = hoist_client_close(client, PATIENCE_MS);
  require(status == HOIST_OK || status == HOIST_ERR_TIMEOUT, "not closed");
}

static void open_again(int hour) {
  if (hour % 2) { /* beside threads that use it */
    close_one();
    tell("closed", -1);
    require(hoist_client_reopen(client, NULL) == HOIST_OK, "not opened again");
    become(hour);
    return;
  }
  pthread_rwlock_wrlock(&uses);
  close_one();
  tell("closed", -1);
  hoist_client_free(client);
  open_one(hour);
  pthread_rwlock_unlock(&uses);
}

/* An exchange that this ends may have reached the service, whose events then come twice, as they may: none is under way. */
static void go_offline(void) {
  (void)hoist_client_flush(client, PATIENCE_MS);
  (void)hoist_client_set_online(client, false);
}

static void do_what_is_due(int hour, int minute) {
  switch (minute) {
    case 3: (void)hoist_client_refresh(client); break;
    case 5: become(hour + 1); break;
    case 22: go_offline(); break;
    case 27: (void)hoist_client_set_online(client, true); break;
    case 32: set_front(false); break;
    case 37: set_front(true); break;
    case 42: split(); break;
    case 45: (void)hoist_client_flush(client, PATIENCE_MS); break;
    case 52: open_again(hour); break;
    default: break;
  }
}

int main(int argc, char **argv) {
  pthread_t workers[WORKERS];
  if (argc != 6) return 2;
  service = argv[1];
  properties = argv[2];
  int hours = atoi(argv[3]);
  event_key = argv[4];
  names = atoi(argv[5]);
  open_one(0);
  start_ms = milliseconds_now();
  report("begun", service);
  for (size_t number = 0; number < WORKERS; number++)
    require(pthread_create(&workers[number], NULL, work, (void *)(number + 1)) == 0, "no thread");
  for (int minute = 0; minute < hours * HOUR; minute++) {
    rest_until(minute);
    do_what_is_due(minute / HOUR, minute % HOUR);
    if (minute % 10 == 9) tell("running", minute);
  }
  is_over = true;
  for (int number = 0; number < WORKERS; number++) pthread_join(workers[number], NULL);
  hoist_status flushed = hoist_client_flush(client, PATIENCE_MS);
  tell(flushed == HOIST_OK ? "flushed" : hoist_status_name(flushed), hours * HOUR);
  evaluate(NULL);
  tell("evaluated", hours * HOUR);
  require(hoist_client_close(client, PATIENCE_MS) == HOIST_OK, "not closed at the end");
  tell("ended", hours * HOUR);
  hoist_client_free(client);
  return 0;
}

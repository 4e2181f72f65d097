/* The cost of a fork does not grow with what a host holds, or ever held: page faults of the forking thread, which has to
 * copy each page that it writes to around a fork. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hoist/flagship.h>
#include <hoist/kameleoon.h>
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>

#include "check.h"
#include "host.h"

enum { OBJECTS = 100000, MOST_MORE_FAULTS = 200, FORKS = 3 };

static hoist_client *kameleoon, *flagship, *optimizely;
static void *held[OBJECTS];
static long faults_without_objects;

typedef void *make_object(int number);
typedef void free_object(void *object);

static long thread_faults(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) exit(70);
  return usage.ru_minflt;
}

/* Of the cheapest of some forks, whose children end at once; -1 when there are none to be had. */
static long faults_of_a_fork(const char *what) {
  long fewest = -1;
  double shortest = 0;
  fflush(stdout);
  for (int round = 0; round < FORKS; round++) {
    long before = thread_faults();
    double began = host_seconds();
    pid_t child = fork();
    if (child == 0) _exit(0);
    double seconds = host_seconds() - began;
    long faults = thread_faults() - before;
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return -1;
    if (fewest < 0 || faults < fewest) fewest = faults;
    if (round == 0 || seconds < shortest) shortest = seconds;
  }
  printf("# %s: %ld page faults, %.2f ms\n", what, fewest, shortest * 1e3);
  return fewest;
}

/* What a fork costs more with so many of them, or after them, than without any; far below 0 when they are not to be had. */
static long more_faults(make_object *make, free_object *release) {
  long with, after;
  for (int number = 0; number < OBJECTS; number++) {
    held[number] = make(number);
    if (!held[number]) return -OBJECTS;
  }
  with = faults_of_a_fork("with 100,000 of them");
  for (int number = 0; number < OBJECTS; number++) release(held[number]);
  after = faults_of_a_fork("after them");
  if (faults_without_objects < 0 || with < 0 || after < 0) return -OBJECTS;
  return (with > after ? with : after) - faults_without_objects;
}

#define CHECK_COST(make, release)                                                                                      \
  do {                                                                                                                 \
    long more = more_faults(make, release);                                                                            \
    CHECK(more > -MOST_MORE_FAULTS);                                                                                   \
    CHECK(more < MOST_MORE_FAULTS);                                                                                    \
  } while (0)

static const char *name_of(int number) {
  static char name[32];
  snprintf(name, sizeof name, "person-%d", number);
  return name;
}

static void *make_context(int number) {
  hoist_context *context = hoist_context_new(name_of(number));
  if (hoist_context_set_int64(context, "number", number) != HOIST_OK) return NULL;
  return context;
}
static void free_context(void *context) { hoist_context_free((hoist_context *)context); }

static void *make_value(int number) { return hoist_launchdarkly_value_new_string(name_of(number)); }
static void free_value(void *value) { hoist_launchdarkly_value_free((hoist_launchdarkly_value *)value); }

static void *make_user(int number) { return hoist_optimizely_user_new(optimizely, name_of(number), NULL); }
static void free_user(void *user) { hoist_optimizely_user_free((hoist_optimizely_user *)user); }

static void *make_flagship_visitor(int number) {
  hoist_flagship_visitor_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = name_of(number);
  options.has_consented = true;
  options.instance = HOIST_FLAGSHIP_NEW_INSTANCE;
  hoist_flagship_visitor *visitor = NULL;
  return hoist_flagship_visitor_new(flagship, &options, &visitor, NULL) == HOIST_OK ? visitor : NULL;
}
static void free_flagship_visitor(void *visitor) { hoist_flagship_visitor_free((hoist_flagship_visitor *)visitor); }

static void *make_kameleoon_visitor(int number) {
  hoist_kameleoon_visitor *visitor = NULL;
  return hoist_kameleoon_visitor_new(kameleoon, name_of(number), &visitor, NULL) == HOIST_OK ? visitor : NULL;
}
static void free_kameleoon_visitor(void *visitor) { hoist_kameleoon_visitor_free((hoist_kameleoon_visitor *)visitor); }

static void *make_datum(int number) { return hoist_kameleoon_conversion(number, 1, false); }
static void free_datum(void *datum) { hoist_kameleoon_data_free((hoist_kameleoon_data *)datum); }

TEST(contexts_do_not_make_a_fork_dearer) { CHECK_COST(make_context, free_context); }
TEST(values_do_not_make_a_fork_dearer) { CHECK_COST(make_value, free_value); }
TEST(users_do_not_make_a_fork_dearer) { CHECK_COST(make_user, free_user); }
TEST(visitors_of_flagship_do_not_make_a_fork_dearer) { CHECK_COST(make_flagship_visitor, free_flagship_visitor); }
TEST(visitors_of_kameleoon_do_not_make_a_fork_dearer) { CHECK_COST(make_kameleoon_visitor, free_kameleoon_visitor); }
TEST(data_of_kameleoon_do_not_make_a_fork_dearer) { CHECK_COST(make_datum, free_datum); }

int main(void) {
  kameleoon = host_kameleoon_client();
  flagship = host_flagship_client();
  optimizely = host_optimizely_client();
  faults_without_objects = faults_of_a_fork("without any");
  RUN(contexts_do_not_make_a_fork_dearer);
  RUN(values_do_not_make_a_fork_dearer);
  RUN(users_do_not_make_a_fork_dearer);
  RUN(visitors_of_flagship_do_not_make_a_fork_dearer);
  RUN(visitors_of_kameleoon_do_not_make_a_fork_dearer);
  RUN(data_of_kameleoon_do_not_make_a_fork_dearer);
  hoist_client_free(kameleoon);
  hoist_client_free(flagship);
  hoist_client_free(optimizely);
  return check_summary();
}

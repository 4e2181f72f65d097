/* G9: a process that forks while its library is used for the first time. Globals are initialised, and metadata is made,
 * by the other threads at that very moment; a child must not wait for who does it. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "loopback.h"

enum { CHILDREN = 6, LONGEST_LIFE_S = 30 };

static loopback server;
static hoist_client *client;
static bool is_over;

static void *track(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) (void)hoist_client_track(client, "seen", NULL, NULL);
  return unused;
}

static void *open_and_free(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) hoist_client_free(host_client());
  return unused;
}

static int child_uses_everything(void) {
  if (!hoist_client_bool(client, "on", NULL, false, NULL)) return 1;
  hoist_client *own = host_client();
  if (!hoist_client_bool(own, "on", NULL, false, NULL)) return 2;
  hoist_client_free(own);
  hoist_client_free(client);
  return 0;
}

static int bad_children(void) {
  int bad = 0;
  for (int number = 0; number < CHILDREN; number++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(LONGEST_LIFE_S);
      _exit(child_uses_everything());
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) bad++;
  }
  return bad;
}

static hoist_client *served_client(void) {
  hoist_config *config = host_config();
  host_set(config, "url", server.url);
  hoist_client *opened = NULL;
  if (hoist_client_open(config, &opened, NULL) != HOIST_OK) _exit(70);
  hoist_config_free(config);
  if (hoist_client_wait_ready(opened, 30000) != HOIST_OK) _exit(70);
  return opened;
}

/* The life of one process, from its first call of the library on. */
static int young_process(void) {
  client = served_client();
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, track, NULL) != 0) return 70;
  if (pthread_create(&threads[1], NULL, open_and_free, NULL) != 0) return 70;
  int bad = bad_children();
  __atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return bad;
}

static int processes(void) {
  const char *text = getenv("HOIST_TEST_ROUNDS");
  int number = text ? atoi(text) : 20;
  return number > 0 ? number : 1;
}

TEST(children_of_young_processes_work) {
  for (int number = 0; number < processes(); number++) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) _exit(young_process());
    int status = -1;
    CHECK_INT(waitpid(process, &status, 0), process);
    CHECK_INT(status, 0);
  }
}

/* ---- A child whose parent has done next to nothing: its threads use everything for the first time, all at once ---- */

static pthread_barrier_t start;

static void *use_what_is_new(void *unused) {
  pthread_barrier_wait(&start);
  hoist_client *own = host_client();
  (void)hoist_client_bool(own, "on", NULL, false, NULL);
  hoist_client_free(own);
  return unused;
}

static int grown_child(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  pthread_barrier_init(&start, NULL, THREADS + 1);
  for (int number = 0; number < THREADS; number++)
    if (pthread_create(&threads[number], NULL, use_what_is_new, NULL) != 0) return 70;
  use_what_is_new(NULL);
  for (int number = 0; number < THREADS; number++) pthread_join(threads[number], NULL);
  return 0;
}

TEST(children_of_processes_that_have_hardly_used_it_work) {
  for (int number = 0; number < CHILDREN * processes(); number++) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
      hoist_context_free(hoist_context_new("somebody")); /* from here on the thread is known to the runtime */
      pid_t child = fork();
      if (child == 0) {
        alarm(LONGEST_LIFE_S);
        _exit(grown_child());
      }
      int status = -1;
      _exit(child < 0 || waitpid(child, &status, 0) != child || status != 0);
    }
    int status = -1;
    CHECK_INT(waitpid(process, &status, 0), process);
    CHECK_INT(status, 0);
  }
}

/* ---- Forks in the very moment of the first use of a library that we use: what it does once must not be half done ---- */

static void *read_a_context(void *unused) {
  pthread_barrier_wait(&start);
  hoist_context_free(hoist_context_from_json("{\"a\":1}", 7, NULL));
  return unused;
}

static int process_that_forks_at_the_first_use(int number) {
  enum { FORKS = 3 };
  pthread_t thread;
  pthread_barrier_init(&start, NULL, 2);
  hoist_context_free(hoist_context_new("somebody"));
  if (pthread_create(&thread, NULL, read_a_context, NULL) != 0) return 70;
  pid_t children[FORKS];
  pthread_barrier_wait(&start);
  /* The moment is a short one: each process looks for it a little later. */
  for (volatile int turn = 0; turn < number % 100 * 100; turn++) {}
  for (int child = 0; child < FORKS; child++) {
    if ((children[child] = fork()) != 0) continue;
    alarm(LONGEST_LIFE_S / 3);
    hoist_context *context = hoist_context_from_json("{\"a\":1}", 7, NULL);
    _exit(context == NULL);
  }
  int bad = 0;
  for (int child = 0; child < FORKS; child++) {
    int status = -1;
    if (children[child] < 0 || waitpid(children[child], &status, 0) != children[child] || status != 0) bad++;
  }
  pthread_join(thread, NULL);
  return bad;
}

TEST(children_forked_at_the_first_use_of_a_library_work) {
  for (int number = 0; number < 30 * processes(); number++) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) _exit(process_that_forks_at_the_first_use(number));
    int status = -1;
    CHECK_INT(waitpid(process, &status, 0), process);
    CHECK_INT(status, 0);
  }
}

int main(void) {
  server = loopback_start();
  RUN(children_of_young_processes_work);
  RUN(children_of_processes_that_have_hardly_used_it_work);
  RUN(children_forked_at_the_first_use_of_a_library_work);
  kill(server.process, SIGKILL);
  return check_summary();
}

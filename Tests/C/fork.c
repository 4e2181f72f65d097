/* G9: a forked child evaluates from the last snapshot and can do everything; the parent is not disturbed. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "loopback.h"

static loopback server;
static hoist_client *client;
static hoist_context *changing;
static bool is_over;
static bool is_child;

/* Asked by the leak checker at exit. What the threads of the parent were holding has no holder in a child, and what
 * they shared with libcurl must not be cleaned up there. */
#ifdef __cplusplus
extern "C"
#endif
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return is_child; }

static void *evaluate_and_track(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
    (void)hoist_client_bool(client, "on", NULL, false, NULL);
    (void)hoist_client_track(client, "seen", NULL, NULL);
  }
  return unused;
}

static void *change_context(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) (void)hoist_context_set_int64(changing, "number", 1);
  return unused;
}

static void *open_and_free(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) hoist_client_free(host_client());
  return unused;
}

static int rounds(void) {
  const char *text = getenv("HOIST_TEST_ROUNDS");
  int number = text ? atoi(text) : 100;
  return number > 0 ? number : 1;
}

/* What a child does; its exit status names the step that failed. */
static int child_evaluates(void) { return hoist_client_bool(client, "on", NULL, false, NULL) ? 0 : 1; }

static int child_does_everything(void) {
  if (!hoist_client_bool(client, "on", NULL, false, NULL)) return 1;
  hoist_context *context = hoist_context_new("child");
  hoist_detail *detail = NULL;
  if (hoist_client_evaluate(client, "on", context, &detail) != HOIST_OK) return 2;
  hoist_detail_free(detail);
  if (hoist_client_track(client, "from the child", NULL, NULL) != HOIST_OK) return 3;
  hoist_client *own = host_client();
  if (!hoist_client_bool(own, "on", context, false, NULL)) return 4;
  (void)hoist_client_close(own, 200);
  hoist_client_free(own);
  (void)hoist_client_close(client, 200);
  hoist_client_free(client);
  hoist_context_free(context);
  return 0;
}

static int child_changes_what_others_were_changing(void) {
  return hoist_context_set_int64(changing, "number", 2) == HOIST_OK ? 0 : 1;
}

static int child_frees_what_it_never_used(void) {
  hoist_client_free(client);
  return 0;
}

static int bad_children(int (*work)(void), bool ends_by_exit) {
  int bad = 0;
  for (int round = 0; round < rounds(); round++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      is_child = true;
      alarm(30);
      int status = work();
      if (ends_by_exit) exit(status);
      _exit(status);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      if (bad++ == 0) printf("#   round %d: wait status %d\n", round, status);
    }
  }
  return bad;
}

/* Forks while two threads of the host are inside the library. */
static int bad_children_under_load(int (*work)(void), void *(*first)(void *), void *(*second)(void *), bool ends_by_exit) {
  pthread_t threads[2];
  __atomic_store_n(&is_over, false, __ATOMIC_SEQ_CST);
  if (pthread_create(&threads[0], NULL, first, NULL) != 0) return -1;
  if (pthread_create(&threads[1], NULL, second, NULL) != 0) return -1;
  int bad = bad_children(work, ends_by_exit);
  __atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return bad;
}

TEST(a_child_evaluates_from_the_last_snapshot) { CHECK_INT(bad_children(child_evaluates, false), 0); }
TEST(a_child_may_end_by_exit) { CHECK_INT(bad_children(child_evaluates, true), 0); }
TEST(a_child_can_do_everything) { CHECK_INT(bad_children(child_does_everything, false), 0); }
TEST(a_child_frees_a_client_that_it_never_used) { CHECK_INT(bad_children(child_frees_what_it_never_used, true), 0); }
TEST(children_of_a_busy_parent_work) {
  CHECK_INT(bad_children_under_load(child_does_everything, evaluate_and_track, open_and_free, false), 0);
}
TEST(a_child_changes_what_others_were_changing) {
  changing = hoist_context_new("changing");
  CHECK_INT(bad_children_under_load(child_changes_what_others_were_changing, change_context, change_context, false), 0);
  hoist_context_free(changing);
}

TEST(the_parent_is_not_disturbed) {
  CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
  /* The load has filled the queue: it empties as ever. */
  CHECK_INT(hoist_client_flush(client, 60000), HOIST_OK);
  CHECK_INT(hoist_client_track(client, "from the parent", NULL, NULL), HOIST_OK);
  CHECK_INT(hoist_client_get_state(client), HOIST_CLIENT_READY);
}

static hoist_client *served_client(void) {
  hoist_config *config = host_config();
  host_set(config, "url", server.url);
  hoist_client *opened = NULL;
  if (hoist_client_open(config, &opened, NULL) != HOIST_OK) exit(70);
  hoist_config_free(config);
  if (hoist_client_wait_ready(opened, 30000) != HOIST_OK) exit(70);
  return opened;
}

int main(void) {
  server = loopback_start();
  client = served_client();
  RUN(a_child_evaluates_from_the_last_snapshot);
  RUN(a_child_may_end_by_exit);
  RUN(a_child_can_do_everything);
  RUN(a_child_frees_a_client_that_it_never_used);
  RUN(children_of_a_busy_parent_work);
  RUN(a_child_changes_what_others_were_changing);
  RUN(the_parent_is_not_disturbed);
  (void)hoist_client_close(client, 200);
  hoist_client_free(client);
  kill(server.process, SIGKILL);
  return check_summary();
}

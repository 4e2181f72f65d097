/* G4: a host may end in any way at any time, with clients open and threads at work.
 * HOIST_TEST_ROUNDS says how often each way is tried. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

typedef void (*ending)(hoist_client *client);

static void end_by_exit(hoist_client *client) {
  (void)client;
  exit(0);
}

static void end_by_quick_exit(hoist_client *client) {
  (void)client;
  quick_exit(0);
}

static void end_while_closing(hoist_client *client) {
  (void)hoist_client_close(client, 0);
  exit(0);
}

static void *evaluate_for_ever(void *client) {
  for (;;) (void)hoist_client_bool((hoist_client *)client, "on", NULL, false, NULL);
  return NULL;
}

static void end_while_a_thread_evaluates(hoist_client *client) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, evaluate_for_ever, client) != 0) _exit(3);
  usleep(1000);
  exit(0);
}

static hoist_client *left_client;
static void close_the_left_client(void) {
  (void)hoist_client_close(left_client, 100);
  hoist_client_free(left_client);
}

static void end_with_a_close_at_exit(hoist_client *client) {
  left_client = client;
  atexit(close_the_left_client);
  exit(0);
}

static void end_from_another_thread(hoist_client *client) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))end_by_exit, client) != 0) _exit(3);
  pause();
}

static int rounds(void) {
  const char *text = getenv("HOIST_TEST_ROUNDS");
  int number = text ? atoi(text) : 200;
  return number > 0 ? number : 1;
}

/* How many of the children did not end well. */
static int bad_endings(ending end) {
  int bad = 0;
  for (int round = 0; round < rounds(); round++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      hoist_client *client = host_client();
      if (!hoist_client_bool(client, "on", NULL, false, NULL)) _exit(5);
      (void)hoist_client_track(client, "seen", NULL, NULL);
      if (round % 2) usleep((useconds_t)(round % 16) * 500);
      end(client);
      _exit(4);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      if (bad++ == 0) printf("#   round %d: wait status %d\n", round, status);
    }
  }
  return bad;
}

TEST(exit_without_close_is_clean) { CHECK_INT(bad_endings(end_by_exit), 0); }
TEST(quick_exit_without_close_is_clean) { CHECK_INT(bad_endings(end_by_quick_exit), 0); }
TEST(exit_right_after_a_close_without_waiting_is_clean) { CHECK_INT(bad_endings(end_while_closing), 0); }
TEST(exit_while_a_thread_evaluates_is_clean) { CHECK_INT(bad_endings(end_while_a_thread_evaluates), 0); }
TEST(exit_with_a_close_in_an_exit_handler_is_clean) { CHECK_INT(bad_endings(end_with_a_close_at_exit), 0); }
TEST(exit_from_another_thread_is_clean) { CHECK_INT(bad_endings(end_from_another_thread), 0); }

int main(void) {
  RUN(exit_without_close_is_clean);
  RUN(quick_exit_without_close_is_clean);
  RUN(exit_right_after_a_close_without_waiting_is_clean);
  RUN(exit_while_a_thread_evaluates_is_clean);
  RUN(exit_with_a_close_in_an_exit_handler_is_clean);
  RUN(exit_from_another_thread_is_clean);
  return check_summary();
}

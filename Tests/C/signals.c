/* G6: loading and using the library changes no signal disposition and no alternate stack.
 * Run with SWIFT_ROOT unset, and set to a toolchain, where the Swift runtime finds its crash helper. */
#include <signal.h>

#include "check.h"
#include "loaded.h"

enum { SIGNALS = 64 };

typedef struct dispositions {
  struct sigaction actions[SIGNALS + 1];
  bool is_readable[SIGNALS + 1];
  stack_t stack;
  sigset_t blocked;
} dispositions;

static void own_handler(int number) { (void)number; }

static void read_dispositions(dispositions *into) {
  memset(into, 0, sizeof *into);
  for (int number = 1; number <= SIGNALS; number++)
    into->is_readable[number] = sigaction(number, NULL, &into->actions[number]) == 0;
  sigaltstack(NULL, &into->stack);
  sigprocmask(SIG_SETMASK, NULL, &into->blocked);
}

static int first_difference(const dispositions *left, const dispositions *right) {
  for (int number = 1; number <= SIGNALS; number++) {
    const struct sigaction *a = &left->actions[number], *b = &right->actions[number];
    if (left->is_readable[number] != right->is_readable[number]) return number;
    if (!left->is_readable[number]) continue;
    if (a->sa_handler != b->sa_handler || a->sa_flags != b->sa_flags) return number;
    for (int member = 1; member <= SIGNALS; member++)
      if (sigismember(&a->sa_mask, member) != sigismember(&b->sa_mask, member)) return number;
    if (sigismember(&left->blocked, number) != sigismember(&right->blocked, number)) return number;
  }
  return 0;
}

static dispositions before;
static loaded library;

TEST(loading_changes_no_disposition) {
  dispositions after;
  read_dispositions(&before);
  library = loaded_open(loaded_path());
  read_dispositions(&after);
  CHECK_INT(first_difference(&before, &after), 0);
}

TEST(a_clients_life_changes_no_disposition) {
  dispositions after;
  CHECK(loaded_use(&library));
  read_dispositions(&after);
  CHECK_INT(first_difference(&before, &after), 0);
}

TEST(the_alternate_stack_stays) {
  dispositions after;
  read_dispositions(&after);
  CHECK(after.stack.ss_sp == before.stack.ss_sp);
  CHECK_INT(after.stack.ss_flags, before.stack.ss_flags);
  CHECK_INT(after.stack.ss_size, before.stack.ss_size);
}

TEST(the_hosts_own_handler_stays) {
  dispositions own, after;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = own_handler;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGPIPE, &action, NULL);
  read_dispositions(&own);
  CHECK(loaded_use(&library));
  read_dispositions(&after);
  CHECK_INT(first_difference(&own, &after), 0);
}

int main(void) {
  RUN(loading_changes_no_disposition);
  RUN(a_clients_life_changes_no_disposition);
  RUN(the_alternate_stack_stays);
  RUN(the_hosts_own_handler_stays);
  return check_summary();
}

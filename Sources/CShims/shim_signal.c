/* Linked as the target of --wrap=sigaction and --wrap=sigaltstack in the shared library.
 *
 * The Swift runtime carries a crash catcher that, when it finds its helper program,
 * replaces the host's handlers of seven signals. Inside the library only that code calls
 * these two functions, so the wrapped versions say that every signal is already taken
 * and change nothing. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

static void taken(int number) { (void)number; }

int __wrap_sigaction(int number, const struct sigaction *change, struct sigaction *before) {
  (void)number;
  (void)change;
  if (before) {
    memset(before, 0, sizeof *before);
    before->sa_handler = taken;
  }
  return 0;
}

int __wrap_sigaltstack(const stack_t *change, stack_t *before) {
  (void)change;
  if (before) {
    memset(before, 0, sizeof *before);
    before->ss_flags = SS_DISABLE;
  }
  return 0;
}

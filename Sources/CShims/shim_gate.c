#include "shim_gate.h"
#include "shim_private.h"
#include <stdbool.h>
#include <time.h>

static uint32_t inside = 0;
static uint32_t is_closed = 0;
static __thread uint32_t depth = 0;

void shim_gate_rest(void) {
  struct timespec pause = {.tv_sec = 0, .tv_nsec = GATE_PAUSE_US * 1000};
  nanosleep(&pause, NULL);
}

void shim_gate_enter(void) {
  if (depth++ > 0) return;
  for (;;) {
    __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&is_closed, __ATOMIC_SEQ_CST)) return;
    __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&is_closed, __ATOMIC_SEQ_CST)) shim_gate_rest();
  }
}

void shim_gate_leave(void) {
  if (depth > 0 && --depth == 0) __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
}

uint32_t shim_gate_inside(void) { return __atomic_load_n(&inside, __ATOMIC_SEQ_CST); }
bool shim_gate_is_closed(void) { return __atomic_load_n(&is_closed, __ATOMIC_SEQ_CST) != 0; }

bool shim_gate_close(uint32_t patience_us) {
  __atomic_store_n(&is_closed, 1, __ATOMIC_SEQ_CST);
  uint32_t own = depth > 0 ? 1 : 0;
  for (uint32_t waited = 0; shim_gate_inside() > own; waited += GATE_PAUSE_US) {
    if (waited >= patience_us) return false;
    shim_gate_rest();
  }
  return true;
}

void shim_gate_open(void) { __atomic_store_n(&is_closed, 0, __ATOMIC_SEQ_CST); }

void shim_gate_after_fork(bool is_child) {
  /* The threads that were inside do not exist in a child. */
  if (is_child) __atomic_store_n(&inside, depth > 0 ? 1 : 0, __ATOMIC_SEQ_CST);
  shim_gate_open();
}

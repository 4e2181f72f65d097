/* Linked as the targets of --wrap in the shared library: the Swift runtime's locks pass the gate, and so does whoever
 * initialises a global of Swift for the first time, or waits for who does. Our own locks do not (shim_lock.c): a fork
 * takes them one by one. */
#include "shim_gate.h"
#include "shim_private.h"

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  shim_gate_enter();
  int status = shim_mutex_lock(mutex);
  if (status != 0) shim_gate_leave();
  return status;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  int status = shim_mutex_unlock(mutex);
  if (status == 0) shim_gate_leave();
  return status;
}

/* swift::threading_impl::once_slow(once_t &, void (*)(void *), void *): the way of everything that is done once, for
 * the first caller and for those that come while it is at it. */
void __real__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(
    void *once, void (*initialize)(void *), void *context) __attribute__((weak));

void __wrap__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(
    void *once, void (*initialize)(void *), void *context) {
  if (!__real__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_) return;
  shim_gate_enter();
  __real__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(once, initialize, context);
  shim_gate_leave();
}

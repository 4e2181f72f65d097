/* Linked as the target of --wrap=pthread_mutex_lock and --wrap=pthread_mutex_unlock in the shared library: the Swift
 * runtime's locks pass the gate. Ours do not (shim_lock.c): a fork takes them one by one. */
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

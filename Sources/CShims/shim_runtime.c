/* Linked as the targets of --wrap in the shared library: the Swift runtime's locks pass the gate, and so does a
 * thread that initialises a Swift global for the first time, or waits for that. Our own locks do not (shim_lock.c):
 * a fork takes them one by one. */
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

/* swift::threading_impl::once_t of Linux: the flag is negative once it is done, which callers look at themselves. */
typedef struct swift_once {
  int32_t flag;
  uint32_t lock;
} swift_once;

#if defined(__has_feature)
#define HAS_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define HAS_THREAD_SANITIZER 0
#endif

/* swift::threading_impl::once_slow(once_t &, void (*)(void *), void *): the way of everything that is done once, for
 * the first caller and for those that come while it is at it.
 *
 * The runtime's own has a lock that names its owner by thread, and remembers the thread's number from before a fork: in a
 * child, a call that waits for a thread of the parent's waits for ever. Here a lock has no owner. */
void __real__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(
    void *once, void (*initialize)(void *), void *context) __attribute__((weak));

static void do_once(swift_once *once, void (*initialize)(void *), void *context) {
  shim_word_lock(&once->lock);
  if (__atomic_load_n(&once->flag, __ATOMIC_ACQUIRE) == 0) {
    initialize(context);
    __atomic_store_n(&once->flag, -1, __ATOMIC_RELEASE);
  }
  shim_word_unlock(&once->lock);
}

void __wrap__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(
    void *once, void (*initialize)(void *), void *context) {
  shim_gate_enter();
  /* The sanitizer learns the order from the runtime's own. */
  if (HAS_THREAD_SANITIZER) {
    if (__real__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_)
      __real__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(once, initialize, context);
  } else {
    do_once(once, initialize, context);
  }
  shim_gate_leave();
}

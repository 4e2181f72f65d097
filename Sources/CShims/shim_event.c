#define _GNU_SOURCE
#include "shim_event.h"
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int shim_event_new(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
void shim_event_free(int descriptor) { close(descriptor); }
void shim_event_renew(int descriptor) {
  int fresh = shim_event_new();
  if (fresh < 0) return;
  dup3(fresh, descriptor, O_CLOEXEC);
  close(fresh);
}
void shim_event_set(int descriptor) { (void)!eventfd_write(descriptor, 1); }
void shim_event_clear(int descriptor) {
  eventfd_t count;
  (void)!eventfd_read(descriptor, &count);
}

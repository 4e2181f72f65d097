/* Stand-ins for Swift's crash catcher, which say that it is off.
 *
 * The catcher would replace the host's handlers of seven signals when it finds its helper program, and costs a
 * hundred thousand bytes. Only these two names pull it into the library; defined here, they keep it out. Weak, for
 * programs that carry the catcher for another reason. */
#include <stdbool.h>

#define SHIM_FALLBACK __attribute__((weak, visibility("hidden")))

/* The runtime's settings, 88 bytes in Swift 6.3; zeros are "off". */
SHIM_FALLBACK char _swift_backtraceSettings[256];

SHIM_FALLBACK bool _swift_backtrace_isThunkFunction(const char *name);
bool _swift_backtrace_isThunkFunction(const char *name) {
  (void)name;
  return false;
}

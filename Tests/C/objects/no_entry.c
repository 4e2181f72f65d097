/* A shared object that is no plug-in. */
#include <hoist/hoist.h>

HOIST_PLUGIN_EXPORT int nothing_of_interest(void);
HOIST_PLUGIN_EXPORT int nothing_of_interest(void) { return 42; }

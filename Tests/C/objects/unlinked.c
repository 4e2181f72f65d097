/* A plug-in that needs a function nobody has. */
#include <hoist/hoist.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    hoist_test_missing_function(void);

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
  return library_abi == (uint32_t)hoist_test_missing_function() ? (const hoist_plugin *)0 : (const hoist_plugin *)1;
}

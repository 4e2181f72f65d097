/* What the shared object offers. */
#include "dispatcher.h"
#include <hoist/plugin_object.h>

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "kafka", .version = PLUGIN_VERSION,
    .create_dispatcher = dispatcher_make};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
  return library_abi == HOIST_PLUGIN_ABI ? &plugin : NULL;
}

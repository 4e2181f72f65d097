/* What the shared object offers. */
#include "cache.h"
#include "launchdarkly.h"
#include <hoist/launchdarkly/events.h>
#include <hoist/plugin_object.h>

static const hoist_launchdarkly_plugin launchdarkly = {
    .struct_size = sizeof launchdarkly, .create_store = rules_make, .create_big_segments = big_segments_make};

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "redis", .version = PLUGIN_VERSION,
    .create_cache = cache_make, .launchdarkly = &launchdarkly};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
  return library_abi == HOIST_PLUGIN_ABI ? &plugin : NULL;
}

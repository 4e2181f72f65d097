/**
 * @file
 * What a shared object offers for Optimizely alone.
 */
#ifndef HOIST_OPTIMIZELY_PLUGIN_H
#define HOIST_OPTIMIZELY_PLUGIN_H

#include "platform.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a shared object offers for Optimizely alone; the member `optimizely` of hoist_plugin, with its rules. */
typedef struct hoist_optimizely_plugin {
    size_t struct_size; /**< sizeof(hoist_optimizely_plugin) */
    hoist_status (*HOIST_NULLABLE create_profile_service)(const char *HOIST_NONNULL options,
                                                          hoist_optimizely_profile_service *HOIST_NONNULL service,
                                                          char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_odp_manager)(const char *HOIST_NONNULL options,
                                                      hoist_optimizely_odp_manager *HOIST_NONNULL manager,
                                                      char *HOIST_NONNULL message, size_t message_size);
} hoist_optimizely_plugin;

#define HOIST_OPTIMIZELY_PLUGIN_INIT { sizeof(hoist_optimizely_plugin), NULL, NULL }

#ifdef __cplusplus
}
#endif
#endif

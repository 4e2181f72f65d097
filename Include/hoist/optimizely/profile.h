/**
 * @file
 * Optimizely's user profile service: users stay in their variations.
 */
#ifndef HOIST_OPTIMIZELY_PROFILE_H
#define HOIST_OPTIMIZELY_PROFILE_H

#include "../config.h"
#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Receives a profile from hoist_optimizely_profile_service.lookup. Valid only during that call. */
typedef struct hoist_optimizely_profile_sink hoist_optimizely_profile_sink;
/** Hands a profile out; copied. A second one replaces the first. */
HOIST_API hoist_status hoist_optimizely_profile_sink_put(hoist_optimizely_profile_sink *HOIST_NULLABLE sink,
                                                         const char *HOIST_NULLABLE json, size_t length);

/**
 * Keeps which variation of which experiment each user is in, so that it stays so:
 * {"user_id":"u1","experiment_bucket_map":{"<experiment id>":{"variation_id":"<variation id>"}}}. Members that Hoist does not
 * know are kept. Without a service, the profiles of the users seen last (property `user_profiles.capacity`) are kept in the
 * client's store, where other clients and processes add theirs; property `user_profiles` = "false" keeps none, and asks no
 * service.
 *
 * `lookup` runs on the deciding thread, on several at once, once before the decisions of a call; `save` once after
 * them, where something is new (on a lane after decisions that asked the prediction server). The core's calls, e.g.
 * hoist_client_bool(), ask and save likewise, hoist_client_all_flags() and a view once. Both should be quick. A
 * failure is logged and else ignored. Plug-ins' other rules hold; `release` runs when the client is freed.
 */
typedef struct hoist_optimizely_profile_service {
    size_t struct_size; /**< sizeof(hoist_optimizely_profile_service) */
    void *HOIST_NULLABLE user_data;
    /** HOIST_OK after handing the profile to the sink, HOIST_ERR_NOT_FOUND; anything else is a failure: it is logged, the
     *  user is decided for without a profile, and nothing is saved in its place. */
    hoist_status (*HOIST_NULLABLE lookup)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL user_id,
                                          hoist_optimizely_profile_sink *HOIST_NONNULL sink);
    /** `json` is the whole profile, without a NUL that counts. */
    hoist_status (*HOIST_NULLABLE save)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL user_id,
                                        const char *HOIST_NONNULL json, size_t length);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_profile_service;

#define HOIST_OPTIMIZELY_PROFILE_SERVICE_INIT { sizeof(hoist_optimizely_profile_service), NULL, NULL, NULL, NULL }

HOIST_API hoist_status
hoist_optimizely_config_set_profile_service(hoist_config *HOIST_NULLABLE config,
                                            const hoist_optimizely_profile_service *HOIST_NULLABLE service,
                                            hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif

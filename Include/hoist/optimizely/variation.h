/**
 * @file
 * Optimizely's forced variations, and the calls that came before user contexts.
 */
#ifndef HOIST_OPTIMIZELY_VARIATION_H
#define HOIST_OPTIMIZELY_VARIATION_H

#include "decision.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes an experiment give a user a variation until it is taken back: in the decisions of user contexts, in the calls
 * below, and in those of the core, e.g. hoist_client_bool(), for a context whose targeting key is the user id. In memory
 * only, for at most 10,000 users, also across datafiles.
 *
 * @param variation_key NULL takes it back.
 * @return False for an unknown experiment or variation, before there is a datafile, and beyond the limit.
 */
HOIST_API bool hoist_optimizely_set_forced_variation(hoist_client *HOIST_NULLABLE client,
                                                     const char *HOIST_NULLABLE experiment_key,
                                                     const char *HOIST_NULLABLE user_id,
                                                     const char *HOIST_NULLABLE variation_key);
/** The variation's key. Free with hoist_text_free(). "" without one; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_forced_variation(hoist_client *HOIST_NULLABLE client,
                                                                       const char *HOIST_NULLABLE experiment_key,
                                                                       const char *HOIST_NULLABLE user_id);

/* In the calls below the context's targeting key is the user id and its attributes are the user's; NULL means the client's
 * own context. All of them answer HOIST_ERR_OPTIMIZELY_SDK_NOT_READY, or what stands for nothing, before there is a datafile
 * and after close. They know neither forced decisions nor the prediction server. */

/**
 * activate: the user's variation of an experiment, with its impression.
 *
 * @param variation_key Receives a text to free with hoist_text_free(); NULL on failure.
 * @return HOIST_ERR_OPTIMIZELY_EXPERIMENT_KEY_INVALID, HOIST_ERR_OPTIMIZELY_VARIATION_UNKNOWN,
 *         HOIST_ERR_OPTIMIZELY_USER_ID_INVALID.
 */
HOIST_API hoist_status hoist_optimizely_activate(hoist_client *HOIST_NULLABLE client,
                                                 const char *HOIST_NULLABLE experiment_key,
                                                 const hoist_context *HOIST_NULLABLE user,
                                                 hoist_text *HOIST_NULLABLE *HOIST_NULLABLE variation_key);
/** getVariationKey: hoist_optimizely_activate() without an impression. */
HOIST_API hoist_status hoist_optimizely_variation(hoist_client *HOIST_NULLABLE client,
                                                  const char *HOIST_NULLABLE experiment_key,
                                                  const hoist_context *HOIST_NULLABLE user,
                                                  hoist_text *HOIST_NULLABLE *HOIST_NULLABLE variation_key);
/** Whether a feature is on, with its impression. False for unknown features and NULL. */
HOIST_API bool hoist_optimizely_is_feature_enabled(hoist_client *HOIST_NULLABLE client,
                                                   const char *HOIST_NULLABLE feature_key,
                                                   const hoist_context *HOIST_NULLABLE user);

/* One variable of a feature, without an impression: HOIST_ERR_OPTIMIZELY_FEATURE_KEY_INVALID,
 * HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID, HOIST_ERR_OPTIMIZELY_VARIABLE_VALUE_INVALID, HOIST_ERR_OPTIMIZELY_USER_ID_INVALID.
 * A text is to be freed with hoist_text_free(), and NULL on failure; other values are left alone then. */
HOIST_API hoist_status hoist_optimizely_feature_bool(hoist_client *HOIST_NULLABLE client,
                                                     const char *HOIST_NULLABLE feature_key,
                                                     const char *HOIST_NULLABLE variable_key,
                                                     const hoist_context *HOIST_NULLABLE user,
                                                     bool *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_optimizely_feature_int64(hoist_client *HOIST_NULLABLE client,
                                                      const char *HOIST_NULLABLE feature_key,
                                                      const char *HOIST_NULLABLE variable_key,
                                                      const hoist_context *HOIST_NULLABLE user,
                                                      int64_t *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_optimizely_feature_double(hoist_client *HOIST_NULLABLE client,
                                                       const char *HOIST_NULLABLE feature_key,
                                                       const char *HOIST_NULLABLE variable_key,
                                                       const hoist_context *HOIST_NULLABLE user,
                                                       double *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_optimizely_feature_string(hoist_client *HOIST_NULLABLE client,
                                                       const char *HOIST_NULLABLE feature_key,
                                                       const char *HOIST_NULLABLE variable_key,
                                                       const hoist_context *HOIST_NULLABLE user,
                                                       hoist_text *HOIST_NULLABLE *HOIST_NULLABLE value);
/** A variable of type json, as the text of an object. */
HOIST_API hoist_status hoist_optimizely_feature_json(hoist_client *HOIST_NULLABLE client,
                                                     const char *HOIST_NULLABLE feature_key,
                                                     const char *HOIST_NULLABLE variable_key,
                                                     const hoist_context *HOIST_NULLABLE user,
                                                     hoist_text *HOIST_NULLABLE *HOIST_NULLABLE value);
/** getAllFeatureVariables: a JSON object. Free with hoist_text_free(). "null" for an unknown feature; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_feature_variables(hoist_client *HOIST_NULLABLE client,
                                                                        const char *HOIST_NULLABLE feature_key,
                                                                        const hoist_context *HOIST_NULLABLE user);
/**
 * The keys of all features that are on, as a JSON array in the order of the datafile; their impressions are sent. Free with
 * hoist_text_free(). "[]" without a datafile or a user id; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_enabled_features(hoist_client *HOIST_NULLABLE client,
                                                                       const hoist_context *HOIST_NULLABLE user);
/** hoist_optimizely_user_track() for a context. HOIST_ERR_OPTIMIZELY_USER_ID_INVALID. */
HOIST_API hoist_status hoist_optimizely_track(hoist_client *HOIST_NULLABLE client,
                                              const char *HOIST_NULLABLE event_key,
                                              const hoist_context *HOIST_NULLABLE user,
                                              const char *HOIST_NULLABLE tags_json, size_t length,
                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif

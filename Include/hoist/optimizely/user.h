/**
 * @file
 * Optimizely's user contexts: the subjects of decisions, and their errors.
 */
#ifndef HOIST_OPTIMIZELY_USER_H
#define HOIST_OPTIMIZELY_USER_H

#include "../client.h"
#include "../context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What went wrong with a call about users, flags and experiments. */
enum {
    HOIST_ERR_OPTIMIZELY_FEATURE_KEY_INVALID    = 1110, /**< no flag of that key */
    HOIST_ERR_OPTIMIZELY_EXPERIMENT_KEY_INVALID = 1111, /**< no experiment of that key */
    HOIST_ERR_OPTIMIZELY_VARIATION_UNKNOWN      = 1112, /**< the user is in no variation of the experiment */
    HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID   = 1113, /**< the flag has no such variable */
    HOIST_ERR_OPTIMIZELY_VARIABLE_VALUE_INVALID = 1114, /**< the variable is of another type, or its text is none of its type */
    HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID      = 1115, /**< no event of that key; nothing is sent */
    HOIST_ERR_OPTIMIZELY_USER_ID_INVALID        = 1116, /**< the context has no targeting key */
    HOIST_ERR_OPTIMIZELY_EVENT_TAGS_INVALID     = 1117  /**< the tags are no JSON object */
};

/**
 * A user context: user id, attributes, forced decisions, segments. Thread-safe. A decision works on what the user is
 * when the call begins. It holds its client weakly and may outlive it; then it answers as a client that is not ready.
 */
typedef struct hoist_optimizely_user hoist_optimizely_user;

/**
 * Makes a user; works before there is a datafile.
 *
 * @param user_id    "" is an id like any other. NULL: the anonymous visitor of this installation, where there is one.
 * @param attributes NULL for none. Its attributes are copied, its targeting key is not looked at.
 * @return Owned by the caller; free with hoist_optimizely_user_free(). NULL for a NULL client and one of another service,
 *         for invalid UTF-8, and for a NULL id where there is no anonymous visitor.
 */
HOIST_API hoist_optimizely_user *HOIST_NULLABLE hoist_optimizely_user_new(hoist_client *HOIST_NULLABLE client,
                                                                          const char *HOIST_NULLABLE user_id,
                                                                          const hoist_context *HOIST_NULLABLE attributes);
/** A user of its own with what this one has now. Owned by the caller; free with hoist_optimizely_user_free(). NULL for NULL. */
HOIST_API hoist_optimizely_user *HOIST_NULLABLE
hoist_optimizely_user_copy(const hoist_optimizely_user *HOIST_NULLABLE user);
HOIST_API void hoist_optimizely_user_free(hoist_optimizely_user *HOIST_NULLABLE user);

/** Borrowed: valid until hoist_optimizely_user_free(). NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_optimizely_user_id(const hoist_optimizely_user *HOIST_NULLABLE user);
/** The attributes as a JSON object. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_user_attributes(const hoist_optimizely_user *HOIST_NULLABLE user);

/* Set an attribute, or replace it. HOIST_ERR_ARGUMENT for NULL, invalid UTF-8 and numbers that are not finite;
 * HOIST_ERR_LIMIT as for contexts. Attributes that the project does not know decide nothing and are not sent. */
HOIST_API hoist_status hoist_optimizely_user_set_string(hoist_optimizely_user *HOIST_NULLABLE user,
                                                        const char *HOIST_NULLABLE name,
                                                        const char *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_optimizely_user_set_bool(hoist_optimizely_user *HOIST_NULLABLE user,
                                                      const char *HOIST_NULLABLE name, bool value);
HOIST_API hoist_status hoist_optimizely_user_set_int64(hoist_optimizely_user *HOIST_NULLABLE user,
                                                       const char *HOIST_NULLABLE name, int64_t value);
HOIST_API hoist_status hoist_optimizely_user_set_double(hoist_optimizely_user *HOIST_NULLABLE user,
                                                        const char *HOIST_NULLABLE name, double value);
/** An attribute without a value: it is there and null. */
HOIST_API hoist_status hoist_optimizely_user_set_null(hoist_optimizely_user *HOIST_NULLABLE user,
                                                      const char *HOIST_NULLABLE name);
/** Any JSON value; HOIST_ERR_PARSE when it is none. Arrays and objects match no condition and are not sent. */
HOIST_API hoist_status hoist_optimizely_user_set_json(hoist_optimizely_user *HOIST_NULLABLE user,
                                                      const char *HOIST_NULLABLE name,
                                                      const char *HOIST_NULLABLE json, size_t length);

#ifdef __cplusplus
}
#endif
#endif

/**
 * @file
 * Optimizely's decisions: flags decided for users, decisions that are forced.
 */
#ifndef HOIST_OPTIMIZELY_DECISION_H
#define HOIST_OPTIMIZELY_DECISION_H

#include "user.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a decide call, added up with |; unknown bits are ignored. Those of the property `decide_options` are added. */
typedef uint32_t hoist_optimizely_options;
enum {
    HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT      = 1,  /**< sends no impression */
    HOIST_OPTIMIZELY_ENABLED_FLAGS_ONLY          = 2,  /**< decisions of several flags: leaves out those that are off */
    HOIST_OPTIMIZELY_IGNORE_USER_PROFILE_SERVICE = 4,  /**< neither reads nor writes the user's profile */
    HOIST_OPTIMIZELY_INCLUDE_REASONS             = 8,  /**< tells every step, not errors only */
    HOIST_OPTIMIZELY_EXCLUDE_VARIABLES           = 16, /**< leaves the variables out */
    HOIST_OPTIMIZELY_IGNORE_CMAB_CACHE           = 32, /**< asks the prediction server anew, and keeps no answer */
    HOIST_OPTIMIZELY_RESET_CMAB_CACHE            = 64, /**< forgets all answers of the prediction server first */
    HOIST_OPTIMIZELY_INVALIDATE_USER_CMAB_CACHE  = 128 /**< forgets this user's answers of the prediction server first */
};
/** An option by the service's spelling, e.g. "INCLUDE_REASONS"; 0 for others and NULL. */
HOIST_API hoist_optimizely_options hoist_optimizely_option(const char *HOIST_NULLABLE name);

/** What became of one flag for one user. Immutable; outlives its user and its client. */
typedef struct hoist_optimizely_decision hoist_optimizely_decision;
/** The decisions of one call, in its order. Immutable; outlives its user and its client. */
typedef struct hoist_optimizely_decisions hoist_optimizely_decisions;

/**
 * Decides a flag, sends its impression and tells observers. Does not wait for the network; rules that ask the prediction
 * server are passed by (see hoist_optimizely_user_decide_async()). Hooks run around the core's evaluations, not here.
 *
 * The user's profile is looked up once and saved at most once: in memory, or by a hoist_optimizely_profile_service.
 *
 * @return Owned by the caller; free with hoist_optimizely_decision_free(). An unknown flag, and a client that is not ready,
 *         closed or gone, give a decision that is off, without variation, with the reason. NULL for a NULL user only.
 */
HOIST_API hoist_optimizely_decision *HOIST_NULLABLE
hoist_optimizely_user_decide(hoist_optimizely_user *HOIST_NULLABLE user, const char *HOIST_NULLABLE key,
                             hoist_optimizely_options options);
/**
 * hoist_optimizely_user_decide() for some flags, with one profile look-up and at most one save. A key that is listed twice
 * is answered once, and sends its impression twice. An unknown key's decision is answered in any case.
 *
 * @return Owned by the caller; free with hoist_optimizely_decisions_free(). Empty where the client is not ready. NULL for a
 *         NULL user only.
 */
HOIST_API hoist_optimizely_decisions *HOIST_NULLABLE
hoist_optimizely_user_decide_for_keys(hoist_optimizely_user *HOIST_NULLABLE user,
                                      const char *HOIST_NULLABLE const *HOIST_NULLABLE keys, size_t count,
                                      hoist_optimizely_options options);
/** The same for all flags, in the order of the datafile. */
HOIST_API hoist_optimizely_decisions *HOIST_NULLABLE
hoist_optimizely_user_decide_all(hoist_optimizely_user *HOIST_NULLABLE user, hoist_optimizely_options options);
/**
 * How the user comes to a flag at this moment, with its segments, forced decisions and profile: a JSON object with the steps
 * in their order, as those of hoist_client_explain(). Nothing is kept and nothing sent. "null" when the client is not ready and
 * for an unknown flag; NULL for a NULL user. Free with hoist_text_free(). For people; its form may grow.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_user_explain(hoist_optimizely_user *HOIST_NULLABLE user,
                                                                   const char *HOIST_NULLABLE key);

/**
 * Called once with the decisions of an asynchronous call, as a hoist_done is.
 *
 * @param decisions Valid only during the call; hoist_optimizely_decisions_copy() keeps them. NULL where `status` is not
 *                  HOIST_OK.
 */
typedef void (*hoist_optimizely_decided)(void *HOIST_NULLABLE user_data, hoist_status status,
                                         const hoist_optimizely_decisions *HOIST_NULLABLE decisions);
/**
 * Decides flags and asks the prediction server where a rule wants it (CMAB). User, profile and datafile are those of this
 * moment. A flag whose prediction cannot be had gets a decision that is off, without variation, with the reason.
 *
 * @param keys      NULL with `count` 0: all flags.
 * @param done      NULL: no callback.
 * @return HOIST_OK: `done` will be called. Anything else: it will not. HOIST_ERR_STATE after close,
 *         HOIST_ERR_OPTIMIZELY_SDK_NOT_READY when the client is gone.
 */
HOIST_API hoist_status hoist_optimizely_user_decide_async(hoist_optimizely_user *HOIST_NULLABLE user,
                                                          const char *HOIST_NULLABLE const *HOIST_NULLABLE keys,
                                                          size_t count, hoist_optimizely_options options,
                                                          hoist_optimizely_decided HOIST_NULLABLE done,
                                                          void *HOIST_NULLABLE user_data);
/**
 * hoist_optimizely_user_decide_async() that waits. What the prediction server has not answered in time counts as not to be
 * had. On a thread of Hoist's own nothing is waited for.
 *
 * @param timeout_ms Negative waits for the server's own limits.
 * @return As hoist_optimizely_user_decide_for_keys().
 */
HOIST_API hoist_optimizely_decisions *HOIST_NULLABLE
hoist_optimizely_user_decide_wait(hoist_optimizely_user *HOIST_NULLABLE user,
                                  const char *HOIST_NULLABLE const *HOIST_NULLABLE keys, size_t count,
                                  hoist_optimizely_options options, int64_t timeout_ms);

/* Texts are borrowed: valid until the decision, or the decisions it is one of, are freed. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_flag_key(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** "" where there is no variation. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_variation_key(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** "" where no rule decided, as for a forced decision of the whole flag. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_rule_key(const hoist_optimizely_decision *HOIST_NULLABLE decision);
HOIST_API bool hoist_optimizely_decision_enabled(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** A JSON object; "{}" without variables. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_variables(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** Errors first, then, with INCLUDE_REASONS, the steps. */
HOIST_API size_t hoist_optimizely_decision_reason_count(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** NULL for an index that is not below the count. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_reason(const hoist_optimizely_decision *HOIST_NULLABLE decision, size_t index);

/* One variable by its key. HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID without such a variable (an invalid one is left out),
 * HOIST_ERR_OPTIMIZELY_VARIABLE_VALUE_INVALID for one of another type; `value` is left alone then. */
HOIST_API hoist_status hoist_optimizely_decision_bool(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                                      const char *HOIST_NULLABLE variable, bool *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_optimizely_decision_int64(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                                       const char *HOIST_NULLABLE variable,
                                                       int64_t *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_optimizely_decision_double(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                                        const char *HOIST_NULLABLE variable,
                                                        double *HOIST_NULLABLE value);
/** The text of a string variable, borrowed as the others; "" without such a variable. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_string(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                 const char *HOIST_NULLABLE variable);
/**
 * The value that a path of member names with dots between leads to, as JSON text: "theme.color". NULL or "": all variables.
 * Free with hoist_text_free(). "null" where the path leads nowhere; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_decision_value(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                const char *HOIST_NULLABLE path);
/** The user as it was when the flag was decided. Free with hoist_optimizely_user_free(). NULL where no flag was decided. */
HOIST_API hoist_optimizely_user *HOIST_NULLABLE
hoist_optimizely_decision_user(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/**
 * {"variationKey","enabled","variables","ruleKey","flagKey","userContext":{"userId","attributes"},"reasons":[…]}.
 * Free with hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_decision_to_json(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** Another hold on the decision. Free with hoist_optimizely_decision_free(). NULL for NULL. */
HOIST_API hoist_optimizely_decision *HOIST_NULLABLE
hoist_optimizely_decision_copy(const hoist_optimizely_decision *HOIST_NULLABLE decision);
HOIST_API void hoist_optimizely_decision_free(hoist_optimizely_decision *HOIST_NULLABLE decision);

HOIST_API size_t hoist_optimizely_decisions_count(const hoist_optimizely_decisions *HOIST_NULLABLE decisions);
/** Borrowed: valid until the decisions are freed. NULL for an index that is not below the count. */
HOIST_API const hoist_optimizely_decision *HOIST_NULLABLE
hoist_optimizely_decisions_at(const hoist_optimizely_decisions *HOIST_NULLABLE decisions, size_t index);
/** Borrowed likewise. NULL for a flag that is not among them. */
HOIST_API const hoist_optimizely_decision *HOIST_NULLABLE
hoist_optimizely_decisions_find(const hoist_optimizely_decisions *HOIST_NULLABLE decisions,
                                const char *HOIST_NULLABLE key);
/** An object of decisions by flag key. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_decisions_to_json(const hoist_optimizely_decisions *HOIST_NULLABLE decisions);
/** Another hold on the decisions. Free with hoist_optimizely_decisions_free(). NULL for NULL. */
HOIST_API hoist_optimizely_decisions *HOIST_NULLABLE
hoist_optimizely_decisions_copy(const hoist_optimizely_decisions *HOIST_NULLABLE decisions);
HOIST_API void hoist_optimizely_decisions_free(hoist_optimizely_decisions *HOIST_NULLABLE decisions);

/* A forced decision makes a flag, or one of its rules where `rule_key` is not NULL, give a variation of the flag whatever
 * the rules say. A variation that the flag does not have is passed by. At most 10,000 for one user. */

/** False for NULL where a key is needed, invalid UTF-8, and beyond the limit. */
HOIST_API bool hoist_optimizely_user_set_forced_decision(hoist_optimizely_user *HOIST_NULLABLE user,
                                                         const char *HOIST_NULLABLE flag_key,
                                                         const char *HOIST_NULLABLE rule_key,
                                                         const char *HOIST_NULLABLE variation_key);
/** The variation's key. Free with hoist_text_free(). "" without one; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_user_forced_decision(const hoist_optimizely_user *HOIST_NULLABLE user,
                                      const char *HOIST_NULLABLE flag_key, const char *HOIST_NULLABLE rule_key);
/** Whether there was one. */
HOIST_API bool hoist_optimizely_user_remove_forced_decision(hoist_optimizely_user *HOIST_NULLABLE user,
                                                            const char *HOIST_NULLABLE flag_key,
                                                            const char *HOIST_NULLABLE rule_key);
/** False for NULL only. */
HOIST_API bool hoist_optimizely_user_remove_all_forced_decisions(hoist_optimizely_user *HOIST_NULLABLE user);

/**
 * trackEvent: records a conversion with the user's attributes, and tells observers.
 *
 * @param tags_json NULL, or a JSON object. "revenue" (a whole number) and "value" (a number) count as such.
 * @return As hoist_client_track(); HOIST_ERR_OPTIMIZELY_SDK_NOT_READY, HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID,
 *         HOIST_ERR_OPTIMIZELY_EVENT_TAGS_INVALID.
 */
HOIST_API hoist_status hoist_optimizely_user_track(hoist_optimizely_user *HOIST_NULLABLE user,
                                                   const char *HOIST_NULLABLE event_key,
                                                   const char *HOIST_NULLABLE tags_json, size_t length,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif

/**
 * @file
 * Optimizely Feature Experimentation, in its words: datafiles, user contexts, decisions, forced decisions, profiles,
 * notifications, audience segments.
 *
 * The client is a hoist_client opened from hoist_config_new("optimizely"). Everything is decided here, from a datafile:
 * one that the host gives (properties `datafile`, `datafile.file`), one that an earlier run has saved, or one that is
 * downloaded for `sdk_key`. Several clients of one SDK key are independent of each other.
 *
 * The calls of the core speak of Optimizely like this. hoist_client_bool() is whether the flag is on,
 * hoist_client_string() the variation's key, hoist_client_json() the flag's variables; numbers are members of those. The
 * context's targeting key is the user id, its attributes are the user's. Each such call sends the impression that a
 * decide call sends. hoist_client_track() is trackEvent: properties become tags, `value` the tag "value". These calls
 * know neither forced decisions nor profiles nor segments: what a user brings along belongs to a user context.
 */
#ifndef HOIST_OPTIMIZELY_H
#define HOIST_OPTIMIZELY_H

#include "client.h"
#include "config.h"
#include "context.h"
#include "plugin.h"
#include "plugin_object.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Life: datafiles, start, polling ====================================================================== */

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_OPTIMIZELY_SDK_NOT_READY            = 1100, /**< no datafile yet, or closed */
    HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID         = 1101, /**< not a datafile; the message says what is wrong */
    HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID = 1102, /**< a datafile of another version than "4" */
    HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED = 1103, /**< no answer, and nothing to start with */
    HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED  = 1104, /**< an answer that is no datafile, and nothing to start with */
    HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED = 1105 /**< 401, 403, 404: the SDK key or token is wrong; the message names URL
                                                      and the end of the key */
};

/** What events are sent with as client_name and client_version unless the properties say otherwise, "hoist 0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_optimizely_version(void);

/*
 * hoist_client_open() starts the client by itself, unless property `autostart` is false.
 *
 * With property `datafile` or `datafile.file` that is a start with a datafile: it is served when hoist_client_open()
 * returns; as soon as the store has been read, one that an earlier run has saved for this SDK key takes its place,
 * whichever is newer. A newer one is then asked for in the background (property `background_fetch`). It is kept for the
 * next start, and served now only with `update_on_new_datafile` or `polling_interval`. Whoever wonders why a change of
 * the project does not arrive wants one of these two.
 *
 * Otherwise it is a start from the service: the datafile is downloaded first; without an answer the saved one is served.
 *
 * "Newer" is another revision, as texts: revisions are names, not numbers. When the service goes back to an earlier
 * revision, the client follows it. A download of the present revision changes nothing.
 */

/** How a start with a datafile goes on; bits. */
enum {
    HOIST_OPTIMIZELY_UPDATE_ON_NEW_DATAFILE = 1, /**< what is downloaded is served at once */
    HOIST_OPTIMIZELY_NO_BACKGROUND_FETCH    = 2  /**< nothing is downloaded but by polling */
};

/**
 * Starts with a datafile, for clients opened with `autostart` = "false", or anew. Waits for the store, never for the
 * network. A saved datafile wins over the given one; a saved one that is broken is deleted and the given one is served.
 *
 * @param datafile JSON text, borrowed for the call. NULL with length 0: the saved one, or what is served already.
 * @param flags    Bits of the enum above.
 * @return HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID, HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID,
 *         HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED (nothing given, nothing saved), HOIST_ERR_STATE (closed, or on a
 *         thread of Hoist's own), HOIST_ERR_ARGUMENT, HOIST_ERR_UNSUPPORTED (a client of another service).
 */
HOIST_API hoist_status hoist_optimizely_start_with_datafile(hoist_client *HOIST_NULLABLE client,
                                                            const char *HOIST_NULLABLE datafile, size_t length,
                                                            uint32_t flags,
                                                            hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** The same from a file. HOIST_ERR_IO when it cannot be read. */
HOIST_API hoist_status hoist_optimizely_start_with_file(hoist_client *HOIST_NULLABLE client,
                                                        const char *HOIST_NULLABLE path, uint32_t flags,
                                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * Starts from the service, or anew, which refreshes what is served.
 *
 * The end is success with any datafile: the downloaded one, the saved one (not modified, no answer, a failure, or the
 * time is over), or the one of the properties. The failure is then told to observers of HOIST_TOPIC_FETCH_FAILED, and the
 * client is HOIST_CLIENT_STALE.
 *
 * @param timeout_ms Longest wait for the download; negative: until it has ended.
 * @param done       NULL, or called once if this returns HOIST_OK: with HOIST_OK; else with
 *                   HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED, HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED,
 *                   HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED, HOIST_ERR_TIMEOUT, HOIST_ERR_SUPERSEDED (by another
 *                   start) or HOIST_ERR_CANCELLED (by a close).
 */
HOIST_API hoist_status hoist_optimizely_start(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms,
                                              hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/** hoist_optimizely_start() that waits, and returns what `done` would be told. */
HOIST_API hoist_status hoist_optimizely_start_wait(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** The datafile that is served, as it was sent. Free with hoist_text_free(). NULL before there is one and after close. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_datafile(const hoist_client *HOIST_NULLABLE client);
/** Its revision. Free with hoist_text_free(). NULL before there is a datafile and after close. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_revision(const hoist_client *HOIST_NULLABLE client);
/** Where it came from: "given", "saved" or "network"; "" before there is one and after close. Static. */
HOIST_API const char *HOIST_NONNULL hoist_optimizely_datafile_origin(const hoist_client *HOIST_NULLABLE client);
/** OptimizelyConfig: what the project has, as a JSON object. Free with hoist_text_free(). NULL as the datafile. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_config_json(const hoist_client *HOIST_NULLABLE client);

/**
 * Downloads the datafile once, checks it, and keeps it for the next start; for hosts that refresh in the background. It is
 * served now only as the start says (see above); hoist_client_refresh() serves it in any case.
 *
 * @param done NULL, or called once if this returns HOIST_OK: with HOIST_OK also when the service has nothing newer than
 *             what is saved; else as for hoist_optimizely_start(). What is saved and served stays then.
 */
HOIST_API hoist_status hoist_optimizely_download_datafile(hoist_client *HOIST_NULLABLE client,
                                                          hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/** Whether a datafile is saved for this SDK key. Waits for the store; false on a thread of Hoist's own. */
HOIST_API bool hoist_optimizely_has_saved_datafile(hoist_client *HOIST_NULLABLE client);
/** The saved datafile. Waits for the store. Free with hoist_text_free(). NULL when there is none, and where nobody may wait. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_saved_datafile(hoist_client *HOIST_NULLABLE client);
/**
 * Saves a datafile for the next start; borrowed for the call. What is no datafile is refused with
 * HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID or HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID; without an SDK key nothing is
 * kept, HOIST_ERR_UNSUPPORTED.
 */
HOIST_API hoist_status hoist_optimizely_save_datafile(hoist_client *HOIST_NULLABLE client,
                                                      const char *HOIST_NULLABLE datafile, size_t length,
                                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Deletes the saved datafile; the next download is unconditional. */
HOIST_API hoist_status hoist_optimizely_remove_saved_datafile(hoist_client *HOIST_NULLABLE client);
/**
 * Whether the host's program is in the foreground; true at first. While false, polling and the delivery of events rest;
 * events that wait are sent before. A poll that became due meanwhile begins when true again.
 */
HOIST_API hoist_status hoist_optimizely_set_active(hoist_client *HOIST_NULLABLE client, bool active);

/* ==== Users: attributes, decisions, forced decisions ======================================================== */

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

/** Borrowed: valid until hoist_optimizely_user_free(). "" for NULL. */
HOIST_API const char *HOIST_NONNULL hoist_optimizely_user_id(const hoist_optimizely_user *HOIST_NULLABLE user);
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

/** What became of one flag for one user. Immutable; outlives its user and its client. */
typedef struct hoist_optimizely_decision hoist_optimizely_decision;
/** The decisions of one call, in its order. Immutable; outlives its user and its client. */
typedef struct hoist_optimizely_decisions hoist_optimizely_decisions;

/**
 * Decides a flag, sends its impression and tells listeners. Does not wait for the network; rules that ask the prediction
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
 * @param done      NULL: nobody is told.
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

/* Texts are borrowed: valid until the decision, or the decisions it is one of, are freed. */
HOIST_API const char *HOIST_NONNULL
hoist_optimizely_decision_flag_key(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** NULL where there is no variation. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_variation_key(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** NULL where no rule decided, as for a forced decision of the whole flag. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_rule_key(const hoist_optimizely_decision *HOIST_NULLABLE decision);
HOIST_API bool hoist_optimizely_decision_enabled(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** A JSON object; "{}" without variables and for NULL. */
HOIST_API const char *HOIST_NONNULL
hoist_optimizely_decision_variables(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** Errors first, then, with INCLUDE_REASONS, the steps. */
HOIST_API size_t hoist_optimizely_decision_reason_count(const hoist_optimizely_decision *HOIST_NULLABLE decision);
/** "" for an index that is not below the count. */
HOIST_API const char *HOIST_NONNULL
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
/** The text of a string variable, borrowed as the others; NULL without such a variable. */
HOIST_API const char *HOIST_NULLABLE
hoist_optimizely_decision_string(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                 const char *HOIST_NULLABLE variable);
/**
 * The value that a path of member names with dots between leads to, as JSON text: "theme.color". NULL or "": all variables.
 * Free with hoist_text_free(). NULL where the path leads nowhere.
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
/** The variation's key. Free with hoist_text_free(). NULL without one. */
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
 * trackEvent: records a conversion with the user's attributes, and tells listeners.
 *
 * @param tags_json NULL, or a JSON object. "revenue" (a whole number) and "value" (a number) count as such.
 * @return As hoist_client_track(); HOIST_ERR_OPTIMIZELY_SDK_NOT_READY, HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID,
 *         HOIST_ERR_OPTIMIZELY_EVENT_TAGS_INVALID.
 */
HOIST_API hoist_status hoist_optimizely_user_track(hoist_optimizely_user *HOIST_NULLABLE user,
                                                   const char *HOIST_NULLABLE event_key,
                                                   const char *HOIST_NULLABLE tags_json, size_t length,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Forced variations, and the calls that came before users ============================================== */

/**
 * Makes an experiment give a user a variation, for all calls of the client until it is taken back; in memory only, for at
 * most 10,000 users, also across datafiles.
 *
 * @param variation_key NULL takes it back.
 * @return False for an unknown experiment or variation, before there is a datafile, and beyond the limit.
 */
HOIST_API bool hoist_optimizely_set_forced_variation(hoist_client *HOIST_NULLABLE client,
                                                     const char *HOIST_NULLABLE experiment_key,
                                                     const char *HOIST_NULLABLE user_id,
                                                     const char *HOIST_NULLABLE variation_key);
/** The variation's key. Free with hoist_text_free(). NULL without one. */
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
/** getAllFeatureVariables: a JSON object. Free with hoist_text_free(). NULL for an unknown feature. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_feature_variables(hoist_client *HOIST_NULLABLE client,
                                                                        const char *HOIST_NULLABLE feature_key,
                                                                        const hoist_context *HOIST_NULLABLE user);
/**
 * The keys of all features that are on, as a JSON array in the order of the datafile; their impressions are sent. Free with
 * hoist_text_free(). NULL without a datafile or a user id.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_enabled_features(hoist_client *HOIST_NULLABLE client,
                                                                       const hoist_context *HOIST_NULLABLE user);
/** hoist_optimizely_user_track() for a context. HOIST_ERR_OPTIMIZELY_USER_ID_INVALID. */
HOIST_API hoist_status hoist_optimizely_track(hoist_client *HOIST_NULLABLE client,
                                              const char *HOIST_NULLABLE event_key,
                                              const hoist_context *HOIST_NULLABLE user,
                                              const char *HOIST_NULLABLE tags_json, size_t length,
                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== User profile service ================================================================================== */

/** Receives a profile from hoist_optimizely_profile_service.lookup. Valid only during that call. */
typedef struct hoist_optimizely_profile_sink hoist_optimizely_profile_sink;
/** Hands a profile out; copied. A second one replaces the first. */
HOIST_API hoist_status hoist_optimizely_profile_sink_put(hoist_optimizely_profile_sink *HOIST_NULLABLE sink,
                                                         const char *HOIST_NULLABLE json, size_t length);

/**
 * Keeps which variation of which experiment each user is in, so that it stays so:
 * {"user_id":"u1","experiment_bucket_map":{"<experiment id>":{"variation_id":"<variation id>"}}}. Members that Hoist does not
 * know are kept. Without a service, the profiles of the users seen last (property `user_profiles.capacity`) are kept in the
 * client's store; property `user_profiles` = "false" keeps none, and asks no service.
 *
 * `lookup` runs on the deciding thread, on several at once, once before the decisions of a call; `save` once after them, where
 * something is new (on a lane after decisions that asked the prediction server). Both should be quick. A failure is told in
 * the log and else ignored. Plug-ins' other rules hold; `release` runs when the client is freed.
 */
typedef struct hoist_optimizely_profile_service {
    size_t struct_size; /**< sizeof(hoist_optimizely_profile_service) */
    void *HOIST_NULLABLE user_data;
    /** HOIST_OK after handing the profile to the sink, HOIST_ERR_NOT_FOUND; anything else is a failure. */
    hoist_status (*HOIST_NULLABLE lookup)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL user_id,
                                          hoist_optimizely_profile_sink *HOIST_NONNULL sink);
    /** `json` is the whole profile, without a NUL that counts. */
    hoist_status (*HOIST_NULLABLE save)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL user_id,
                                        const char *HOIST_NONNULL json, size_t length);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_profile_service;

HOIST_API hoist_status
hoist_optimizely_config_set_profile_service(hoist_config *HOIST_NULLABLE config,
                                            const hoist_optimizely_profile_service *HOIST_NULLABLE service,
                                            hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Listeners ============================================================================================= */

/**
 * What listeners are told of, and its JSON. "attributes" is an object, "event" the request that reports it:
 * {"url":…,"body":{…}}, with this event alone.
 */
typedef int32_t hoist_optimizely_notification_kind;
enum {
    /** An impression with an experiment (or holdout) and a variation:
     *  {"experiment":{"id","key"},"userId","attributes","variation":{"id","key"},"event"} */
    HOIST_OPTIMIZELY_ACTIVATE = 1,
    /** A conversion: {"eventKey","userId","attributes","eventTags":{…},"event"} */
    HOIST_OPTIMIZELY_TRACK = 2,
    /** Another datafile is served: the datafile as it was sent */
    HOIST_OPTIMIZELY_DATAFILE_CHANGE = 3,
    /** A decision: {"type","userId","attributes","decisionInfo":{…}}. By type, decisionInfo has
     *  "flag" (decide): "flagKey", "enabled", "variables", "variationKey", "ruleKey", "reasons", "decisionEventDispatched",
     *  "experimentId", "variationId"; null where there is none.
     *  "ab-test", "feature-test" (activate, getVariationKey): "experimentKey", "variationKey".
     *  "feature" (isFeatureEnabled): "featureKey", "featureEnabled", "source" ("feature-test", "rollout", "holdout"),
     *  "sourceInfo" ({"experimentKey","variationKey"} or {}).
     *  "feature-variable": those, "variableKey", "variableType", "variableValue".
     *  "all-feature-variables": those of "feature", "variableValues". */
    HOIST_OPTIMIZELY_DECISION = 4,
    /** A request with events is about to be sent, also again: {"url","event":{…}} */
    HOIST_OPTIMIZELY_LOG_EVENT = 5
};

/** Told on the client's delivery lane, one call at a time, or in manual dispatch, as observers are. */
typedef struct hoist_optimizely_listener {
    size_t struct_size; /**< sizeof(hoist_optimizely_listener) */
    void *HOIST_NULLABLE user_data;
    /** @param json Valid only during the call. */
    void (*HOIST_NULLABLE notify)(void *HOIST_NULLABLE user_data, hoist_optimizely_notification_kind kind,
                                  const char *HOIST_NONNULL json, size_t length);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_listener;

/**
 * Adds a listener. What nobody listens to costs nothing.
 *
 * @param listener Copied, by the rules of plug-ins.
 * @param id       NULL, or receives what hoist_optimizely_remove_listener() takes: 1, 2, 3… for each client; 0 on failure.
 * @return HOIST_ERR_ARGUMENT for an unknown kind, HOIST_ERR_STATE after close, HOIST_ERR_LIMIT beyond 1,000 listeners,
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_optimizely_add_listener(hoist_client *HOIST_NULLABLE client,
                                                     hoist_optimizely_notification_kind kind,
                                                     const hoist_optimizely_listener *HOIST_NULLABLE listener,
                                                     int32_t *HOIST_NULLABLE id);
/** No call begins afterwards. False for an id that is not in use. */
HOIST_API bool hoist_optimizely_remove_listener(hoist_client *HOIST_NULLABLE client, int32_t id);
/** @param kind 0 for all. HOIST_ERR_ARGUMENT for an unknown kind. */
HOIST_API hoist_status hoist_optimizely_clear_listeners(hoist_client *HOIST_NULLABLE client,
                                                        hoist_optimizely_notification_kind kind);

/* ==== The data platform (ODP): audience segments, events, the visitor id ==================================== */

/*
 * Where the data platform is, the datafile says; property `odp.disable` turns all of it off. Segments are asked for by
 * hoist_optimizely_user_fetch_segments() only, and kept for `odp.segments_cache_timeout` seconds for
 * `odp.segments_cache_size` users. Events wait, at most 100 of them, until a datafile says where they go, and survive a
 * restart as `events.durability` says; a dispatcher of the host's gets them under the pipeline "odp".
 *
 * Property `vuid.enabled` gives this installation an anonymous visitor id: kept in the folder of the store, in the file
 * optimizely-vuid, for the clients of all SDK keys; with a cache plug-in, as the value "vuid"; without a store, each
 * client has its own. While it is off, opening a client deletes it.
 */

/** What went wrong with it. */
enum {
    HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER = 1120, /**< the data platform does not know the user id */
    HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED      = 1121, /**< the message says why */
    HOIST_ERR_OPTIMIZELY_ODP_EVENT_FAILED           = 1122, /**< too many events wait, or this one is too large */
    HOIST_ERR_OPTIMIZELY_ODP_NOT_INTEGRATED         = 1123, /**< the datafile names no data platform */
    HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED            = 1124, /**< property odp.disable is true */
    HOIST_ERR_OPTIMIZELY_ODP_INVALID_DATA           = 1125, /**< a value that is no string, number, boolean or null */
    HOIST_ERR_OPTIMIZELY_ODP_INVALID_ACTION         = 1126  /**< the action is empty */
};

/** Options of one fetch of segments; they add up. */
enum {
    HOIST_OPTIMIZELY_IGNORE_SEGMENT_CACHE = 1, /**< neither reads nor writes what is kept */
    HOIST_OPTIMIZELY_RESET_SEGMENT_CACHE  = 2  /**< forgets first what is kept of everybody */
};

/**
 * Asks which of the segments that the datafile's audiences want the user is in; conditions on segments are about the
 * answer. While it is under way, and after it has failed, the user has none. Asked once, without retries, for
 * odp.segment_fetch_timeout_ms at most; nobody is asked where the answer is kept, or the datafile wants no segments. Of
 * several fetches for one user the one that began last counts.
 *
 * @param options HOIST_OPTIMIZELY_IGNORE_SEGMENT_CACHE and HOIST_OPTIMIZELY_RESET_SEGMENT_CACHE, or 0.
 * @param done    NULL: nobody is told. HOIST_OK, HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER,
 *                HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED (the log says why) or HOIST_ERR_CANCELLED.
 * @return HOIST_OK: `done` will be called. Anything else: it will not. HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED,
 *         HOIST_ERR_STATE after close, HOIST_ERR_OPTIMIZELY_SDK_NOT_READY when the client is gone.
 */
HOIST_API hoist_status hoist_optimizely_user_fetch_segments(hoist_optimizely_user *HOIST_NULLABLE user, uint32_t options,
                                                            hoist_done HOIST_NULLABLE done,
                                                            void *HOIST_NULLABLE user_data);
/**
 * hoist_optimizely_user_fetch_segments() that waits.
 *
 * @param timeout_ms Negative waits for the fetch's own limit.
 * @return What `done` would be told, or why it would not be called. HOIST_ERR_TIMEOUT: the fetch goes on.
 *         HOIST_ERR_STATE on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_optimizely_user_fetch_segments_wait(hoist_optimizely_user *HOIST_NULLABLE user,
                                                                 uint32_t options, int64_t timeout_ms,
                                                                 hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Whether the user is known to be in the segment. */
HOIST_API bool hoist_optimizely_user_is_qualified_for(const hoist_optimizely_user *HOIST_NULLABLE user,
                                                      const char *HOIST_NULLABLE segment);
/**
 * The user's segments as a JSON array. Free with hoist_text_free(). NULL when they were never fetched or set, and when the
 * last fetch is under way or has failed.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_user_segments(const hoist_optimizely_user *HOIST_NULLABLE user);
/**
 * Sets the user's segments without asking anybody.
 *
 * @param names Borrowed for the call; NULL with `count` 0: none were fetched.
 * @return HOIST_ERR_ARGUMENT for NULL or invalid UTF-8 among them, HOIST_ERR_LIMIT for more than 10 000.
 */
HOIST_API hoist_status hoist_optimizely_user_set_segments(hoist_optimizely_user *HOIST_NULLABLE user,
                                                          const char *HOIST_NULLABLE const *HOIST_NULLABLE names,
                                                          size_t count);

/**
 * Records an event for the data platform. Returns at once. The visitor id is added to the identifiers, when there is one;
 * FS_USER_ID and fs-user-id, in whatever case, become fs_user_id.
 *
 * @param type             NULL or "" for "fullstack". All texts are borrowed for the call.
 * @param action           Not empty.
 * @param identifiers_json NULL, or a JSON object of strings, NUL-terminated.
 * @param data_json        NULL, or a JSON object of strings, numbers, booleans and nulls, NUL-terminated.
 * @return HOIST_OK: it will be sent, perhaps after a restart. The first of these that holds: HOIST_ERR_STATE for a client
 *         that is closed, HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED, _ODP_NOT_INTEGRATED, HOIST_ERR_PARSE for what is no such
 *         JSON, _ODP_INVALID_DATA, _ODP_INVALID_ACTION, _ODP_EVENT_FAILED.
 */
HOIST_API hoist_status hoist_optimizely_send_odp_event(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE type,
                                                       const char *HOIST_NULLABLE action,
                                                       const char *HOIST_NULLABLE identifiers_json,
                                                       const char *HOIST_NULLABLE data_json,
                                                       hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * The visitor id of this installation, 32 bytes that begin with "vuid_". Free with hoist_text_free(). Waits, right after
 * the client was opened, until the store has been read: milliseconds, at most 2 s, and not on a thread of Hoist's own.
 * NULL when property vuid.enabled is false, or it is not known by then.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_vuid(const hoist_client *HOIST_NULLABLE client);

/** Takes the segments of one user from a data platform of the host's. Valid only during that call. */
typedef struct hoist_optimizely_segment_sink hoist_optimizely_segment_sink;
/**
 * Adds a segment that the user is in.
 *
 * @param name Copied. HOIST_ERR_ARGUMENT when it is NULL or not UTF-8, HOIST_ERR_LIMIT after 10 000 of them.
 */
HOIST_API hoist_status hoist_optimizely_segment_sink_add(hoist_optimizely_segment_sink *HOIST_NULLABLE sink,
                                                         const char *HOIST_NULLABLE name);

/**
 * A data platform of the host's, in place of the service's.
 *
 * Threads: members run on a lane of their client's, one at a time, and may block; after odp.segment_fetch_timeout_ms or
 * odp.event_timeout_ms nobody waits for them any more. None begins after the client has closed. They must not call
 * hoist_client_close(); other functions are allowed. All pointers are valid only during the call. Its part of the
 * datafile and the segment cache do not matter then; odp.disable does.
 */
typedef struct hoist_optimizely_odp_manager {
    size_t struct_size; /**< sizeof(hoist_optimizely_odp_manager) */
    void *HOIST_NULLABLE user_data;
    /**
     * Which segments a user is in; NULL: the service is asked.
     *
     * @param options Those of hoist_optimizely_user_fetch_segments().
     * @return HOIST_OK: what the sink got is the answer, nothing too. HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER is
     *         passed on; anything else becomes HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED.
     */
    hoist_status (*HOIST_NULLABLE fetch_segments)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL user_id,
                                                  uint32_t options, hoist_optimizely_segment_sink *HOIST_NONNULL sink);
    /**
     * Takes an event, also those that the library makes: "client_initialized" and "identified". NULL: the service gets
     * them.
     *
     * @return HOIST_OK; anything else is logged, and the event forgotten.
     */
    hoist_status (*HOIST_NULLABLE send_event)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL type,
                                              const char *HOIST_NONNULL action, const char *HOIST_NONNULL identifiers_json,
                                              const char *HOIST_NONNULL data_json);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_odp_manager;

/**
 * Sets the data platform of clients that are opened with this configuration.
 *
 * @param manager Copied; `user_data` belongs to Hoist from that call on, also when it fails: `release` runs once.
 * @return HOIST_ERR_UNSUPPORTED for a configuration of another service.
 */
HOIST_API hoist_status hoist_optimizely_config_set_odp_manager(hoist_config *HOIST_NULLABLE config,
                                                               const hoist_optimizely_odp_manager *HOIST_NULLABLE manager,
                                                               hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Shared objects ======================================================================================== */

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

#ifdef __cplusplus
}
#endif
#endif

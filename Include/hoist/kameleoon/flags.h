/**
 * @file
 * Kameleoon's feature flags: the variations of a visitor, and their variables.
 *
 * Everything is decided here, from the configuration and what is known of the visitor; nothing waits for the network. With
 * `track` the visitor's variation is reported with the next tracking request; without, it is kept for targeting all the same.
 *
 * Calls on a visitor return HOIST_ERR_KAMELEOON_SDK_NOT_READY before the first configuration, after close and when the client is
 * gone; HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND for an unknown flag; HOIST_ERR_KAMELEOON_FEATURE_ENVIRONMENT_DISABLED for one that is
 * switched off in the environment; HOIST_ERR_KAMELEOON_FEATURE_EVALUATION_BLOCKED where the visitor has refused and the site
 * blocks everything then; HOIST_ERR_ARGUMENT for NULL and texts that are not UTF-8. Texts are NUL-terminated and borrowed.
 *
 * The calls of the core speak of Kameleoon like this. hoist_client_bool() is whether the flag is active, hoist_client_string()
 * the variation's key, hoist_client_json() its variables; numbers are members of those. NULL as context is the client's own
 * visitor; a context's targeting key is the code of another one: what is known of it counts, where it is open. Attributes
 * count for that call: `customData.` and an index, or the name of custom data; `device`, `browser`, `os`, `country`, `region`,
 * `city`, `appVersion`. Such calls are reported unless property `track_evaluations` is false. hoist_client_identify() makes the
 * visitor of the context's targeting key the client's own; its attributes are not looked at: what is known of a visitor is what
 * hoist_kameleoon_visitor_add_data() has told.
 */
#ifndef HOIST_KAMELEOON_FLAGS_H
#define HOIST_KAMELEOON_FLAGS_H

#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Variables ------------------------------------------------------------------------------------------- */

/**
 * A variable of a variation. Immutable; any thread. Those of a variation are borrowed: valid as long as it.
 */
typedef struct hoist_kameleoon_variable hoist_kameleoon_variable;

/** What a variable's value is. */
typedef int32_t hoist_kameleoon_value_kind;
enum {
    HOIST_KAMELEOON_VALUE_NULL   = 0,
    HOIST_KAMELEOON_VALUE_BOOL   = 1,
    HOIST_KAMELEOON_VALUE_INT    = 2, /**< a number without fraction that fits 64 bits */
    HOIST_KAMELEOON_VALUE_DOUBLE = 3,
    HOIST_KAMELEOON_VALUE_STRING = 4,
    HOIST_KAMELEOON_VALUE_JSON   = 5  /**< an object or an array */
};

/** Borrowed: valid as long as the variable. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_kameleoon_variable_key(const hoist_kameleoon_variable *HOIST_NULLABLE variable);
/** "BOOLEAN", "NUMBER", "STRING", "JSON", as the site has it. Borrowed likewise. */
HOIST_API const char *HOIST_NULLABLE hoist_kameleoon_variable_type(const hoist_kameleoon_variable *HOIST_NULLABLE variable);
/** Of the value, whatever the type says. HOIST_KAMELEOON_VALUE_NULL for NULL. */
HOIST_API hoist_kameleoon_value_kind
hoist_kameleoon_variable_kind(const hoist_kameleoon_variable *HOIST_NULLABLE variable);
/** `fallback` for a value of another kind, and for NULL. */
HOIST_API bool hoist_kameleoon_variable_bool(const hoist_kameleoon_variable *HOIST_NULLABLE variable, bool fallback);
HOIST_API int64_t hoist_kameleoon_variable_int64(const hoist_kameleoon_variable *HOIST_NULLABLE variable, int64_t fallback);
/** Integers, too. */
HOIST_API double hoist_kameleoon_variable_double(const hoist_kameleoon_variable *HOIST_NULLABLE variable, double fallback);
/** Borrowed: valid as long as the variable. "" for a value of another kind; NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_kameleoon_variable_string(const hoist_kameleoon_variable *HOIST_NULLABLE variable);
/** The value as JSON text, of any kind. Borrowed: valid as long as the variable. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_kameleoon_variable_json(const hoist_kameleoon_variable *HOIST_NULLABLE variable);
/** Frees a variable of hoist_kameleoon_visitor_feature_variable(), and no other; NULL is harmless. */
HOIST_API void hoist_kameleoon_variable_free(hoist_kameleoon_variable *HOIST_NULLABLE variable);

/* ---- Variations ------------------------------------------------------------------------------------------ */

/**
 * The variation that a visitor got. Immutable; any thread. It holds the configuration that it was decided on, and may outlive
 * visitor and client.
 */
typedef struct hoist_kameleoon_variation hoist_kameleoon_variation;

/** Borrowed: valid as long as the variation. "" where the flag has no variation of the key decided on; NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_kameleoon_variation_key(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** Likewise, for people. */
HOIST_API const char *HOIST_NULLABLE hoist_kameleoon_variation_name(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** -1 for "everyone else", who are in no experiment, and for NULL. */
HOIST_API int64_t hoist_kameleoon_variation_id(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** Likewise. */
HOIST_API int64_t hoist_kameleoon_variation_experiment_id(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** Whether the key is another one than "off". False for NULL. */
HOIST_API bool hoist_kameleoon_variation_is_active(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** 0 for NULL. */
HOIST_API size_t hoist_kameleoon_variation_variable_count(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** Borrowed: valid as long as the variation. NULL for an index that is not below the count. */
HOIST_API const hoist_kameleoon_variable *HOIST_NULLABLE
hoist_kameleoon_variation_variable_at(const hoist_kameleoon_variation *HOIST_NULLABLE variation, size_t index);
/** Borrowed: valid as long as the variation. NULL for an unknown key. */
HOIST_API const hoist_kameleoon_variable *HOIST_NULLABLE hoist_kameleoon_variation_variable(
    const hoist_kameleoon_variation *HOIST_NULLABLE variation, const char *HOIST_NULLABLE key);
/**
 * {"key","name","id","experimentId","variables":{key:{"type","value"}}} as JSON. Free with hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_kameleoon_variation_to_json(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
/** Frees a variation of hoist_kameleoon_visitor_variation(), and no other; NULL is harmless. */
HOIST_API void hoist_kameleoon_variation_free(hoist_kameleoon_variation *HOIST_NULLABLE variation);

/** Variations by flag, in the order of the configuration. Immutable; any thread; may outlive visitor and client. */
typedef struct hoist_kameleoon_variations hoist_kameleoon_variations;

/** 0 for NULL. */
HOIST_API size_t hoist_kameleoon_variations_count(const hoist_kameleoon_variations *HOIST_NULLABLE variations);
/** The key of a flag. Borrowed: valid as long as the variations. NULL for an index that is not below the count. */
HOIST_API const char *HOIST_NULLABLE
hoist_kameleoon_variations_key_at(const hoist_kameleoon_variations *HOIST_NULLABLE variations, size_t index);
/** Borrowed likewise. NULL for an index that is not below the count. */
HOIST_API const hoist_kameleoon_variation *HOIST_NULLABLE
hoist_kameleoon_variations_at(const hoist_kameleoon_variations *HOIST_NULLABLE variations, size_t index);
/** The variation of a flag. Borrowed likewise. NULL for a flag that is not among them. */
HOIST_API const hoist_kameleoon_variation *HOIST_NULLABLE hoist_kameleoon_variations_find(
    const hoist_kameleoon_variations *HOIST_NULLABLE variations, const char *HOIST_NULLABLE key);
/** Frees variations; NULL is harmless. */
HOIST_API void hoist_kameleoon_variations_free(hoist_kameleoon_variations *HOIST_NULLABLE variations);

/* ---- Deciding -------------------------------------------------------------------------------------------- */

/**
 * Whether the visitor's variation of a flag is another one than "off".
 *
 * @param active Receives it; false with any other status than HOIST_OK.
 * @return HOIST_OK and false, too, for a flag that is switched off in the environment, or blocked.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_is_feature_active(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                 const char *HOIST_NULLABLE key, bool track,
                                                                 bool *HOIST_NULLABLE active);
/**
 * The visitor's variation of a flag: what a rule gives, else that of "everyone else".
 *
 * @param variation Receives it: owned by the caller; free with hoist_kameleoon_variation_free(). NULL with any other status than
 *                  HOIST_OK.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_variation(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE key, bool track,
    hoist_kameleoon_variation *HOIST_NULLABLE *HOIST_NULLABLE variation);
/**
 * The visitor's variations of all flags, but those that are switched off in the environment or blocked.
 *
 * @param only_active Leaves out those that are "off".
 * @param variations  Receives them: owned by the caller; free with hoist_kameleoon_variations_free(). NULL with any other status
 *                    than HOIST_OK.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_variations(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, bool only_active, bool track,
    hoist_kameleoon_variations *HOIST_NULLABLE *HOIST_NULLABLE variations);
/**
 * How the visitor comes to a flag at this moment, as a JSON object: holdout, group, and each rule that was asked with its
 * conditions' outcomes and its hashes. Nothing is kept and nothing reported. Free with hoist_text_free(). "null" when not ready
 * and for an unknown flag; NULL for NULL. For people; its form may grow.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_kameleoon_visitor_explain(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                     const char *HOIST_NULLABLE key);

/* ---- The configuration ----------------------------------------------------------------------------------- */

/*
 * Of a client. Owned by the caller; free with hoist_text_free(). NULL with `error` set otherwise: HOIST_ERR_ARGUMENT for NULL
 * and texts that are not UTF-8, HOIST_ERR_UNSUPPORTED for a client of another service, HOIST_ERR_KAMELEOON_SDK_NOT_READY.
 */

/** The keys of all flags, also of those that are switched off in the environment, as a JSON array. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_kameleoon_feature_list(hoist_client *HOIST_NULLABLE client,
                                                                  hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * What the configuration says of flags, as a JSON object: `dateModified`, and in `featureFlags` for each key its `environmentEnabled`,
 * `defaultVariationKey`, `defaultVariation`, `variations` by key and `rules` with their `variations`, these as of
 * hoist_kameleoon_variation_to_json().
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_kameleoon_datafile(hoist_client *HOIST_NULLABLE client,
                                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Deprecated by the vendor ---------------------------------------------------------------------------- */

/** The key of the visitor's variation, which is reported. hoist_kameleoon_visitor_variation() tells more. */
HOIST_API HOIST_DEPRECATED hoist_status hoist_kameleoon_visitor_feature_variation_key(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE key,
    hoist_text *HOIST_NULLABLE *HOIST_NULLABLE variation_key);
/**
 * One variable of the visitor's variation, which is reported.
 *
 * @param variable Receives it: owned by the caller; free with hoist_kameleoon_variable_free(). NULL with any other status than
 *                 HOIST_OK.
 * @return HOIST_ERR_KAMELEOON_FEATURE_VARIABLE_NOT_FOUND, too.
 */
HOIST_API HOIST_DEPRECATED hoist_status hoist_kameleoon_visitor_feature_variable(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE variable_key,
    hoist_kameleoon_variable *HOIST_NULLABLE *HOIST_NULLABLE variable);
/** The keys of the flags that are active for the visitor, as a JSON array. Nothing is kept and nothing reported. Free with
 *  hoist_text_free(). NULL with `error` set when not ready. */
HOIST_API HOIST_DEPRECATED hoist_text *HOIST_NULLABLE hoist_kameleoon_visitor_active_feature_list(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Those flags with their variations. */
HOIST_API HOIST_DEPRECATED hoist_status hoist_kameleoon_visitor_active_features(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, hoist_kameleoon_variations *HOIST_NULLABLE *HOIST_NULLABLE variations);
/**
 * The variables of a flag's variation by its key, as a JSON object of their values. No decision is made. As
 * hoist_kameleoon_feature_list(); HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND, HOIST_ERR_KAMELEOON_FEATURE_ENVIRONMENT_DISABLED,
 * HOIST_ERR_KAMELEOON_FEATURE_VARIATION_NOT_FOUND, too.
 */
HOIST_API HOIST_DEPRECATED hoist_text *HOIST_NULLABLE hoist_kameleoon_feature_variation_variables(
    hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE variation_key,
    hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif

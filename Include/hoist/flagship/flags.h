/**
 * @file
 * Flagship's flags: values, metadata and exposures of one visitor's flags, one by one and as collections.
 *
 * A value is returned only when its type is that of the default. Integers are JSON numbers of 64 bits without fraction and
 * exponent; 5.0 is a double. An integer is no double, unless property `numeric_widening` says so. Null is no value: the
 * default is returned.
 *
 * With `exposed`, reading a value counts the visitor: an activation is sent, also when the default is returned because
 * the value is null or of another type. Where there is no such flag, nothing is counted. Without consent of the
 * visitor, values can be read and nothing is sent.
 */
#ifndef HOIST_FLAGSHIP_FLAGS_H
#define HOIST_FLAGSHIP_FLAGS_H

#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The state of a flag. */
typedef int32_t hoist_flagship_flag_state;
enum {
    HOIST_FLAGSHIP_FLAG_FETCHED        = 0,
    HOIST_FLAGSHIP_FLAG_FETCH_REQUIRED = 1, /**< it has a value; the visitor has to be fetched, or is being fetched */
    HOIST_FLAGSHIP_FLAG_NOT_FOUND      = 2, /**< no campaign gave the visitor such a flag */
    HOIST_FLAGSHIP_FLAG_PANIC          = 3  /**< the service has switched everything off */
};
/** "FETCHED", "FETCH_REQUIRED", "NOT_FOUND", "PANIC"; "" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_flag_state_name(hoist_flagship_flag_state state);

/* ---- Values by key --------------------------------------------------------------------------------------- */

/*
 * The value of a visitor's flag. Never waits.
 *
 * key       NUL-terminated UTF-8, borrowed for the call.
 * exposed   Whether the visitor counts.
 * value     Receives the flag's value, or `fallback`; in any case but HOIST_ERR_ARGUMENT.
 * returns   HOIST_OK, also for null; and with `fallback`: HOIST_ERR_NOT_FOUND for a flag that no campaign gave the visitor,
 *           HOIST_ERR_FLAGSHIP_FLAG_TYPE for a value of another type, HOIST_ERR_FLAGSHIP_PANIC,
 *           HOIST_ERR_FLAGSHIP_NOT_INITIALIZED (not started, closed, or the client is gone).
 *           HOIST_ERR_ARGUMENT when visitor, key or value is NULL, or a text is not UTF-8.
 */

HOIST_API hoist_status hoist_flagship_visitor_bool(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                   const char *HOIST_NULLABLE key, bool fallback, bool exposed,
                                                   bool *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_visitor_int64(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                    const char *HOIST_NULLABLE key, int64_t fallback, bool exposed,
                                                    int64_t *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_visitor_double(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                     const char *HOIST_NULLABLE key, double fallback, bool exposed,
                                                     double *HOIST_NULLABLE value);
/**
 * A text flag.
 *
 * @param fallback NULL: no default is named.
 * @param value    Receives the text: owned by the caller; free with hoist_text_free(). "" for a `fallback` of NULL.
 */
HOIST_API hoist_status hoist_flagship_visitor_string(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                     const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE fallback,
                                                     bool exposed, hoist_text *HOIST_NULLABLE *HOIST_NULLABLE value);
/**
 * A flag as JSON text.
 *
 * @param fallback JSON text, whose type the value has to have: an array, an object, or a scalar. NULL: any type will do, and
 *                 null is a value. HOIST_ERR_PARSE for what is no JSON; then nothing is sent.
 * @param value    Receives the text: owned by the caller; free with hoist_text_free(). "null" for a `fallback` of NULL.
 */
HOIST_API hoist_status hoist_flagship_visitor_json(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                   const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE fallback,
                                                   bool exposed, hoist_text *HOIST_NULLABLE *HOIST_NULLABLE value);

/* ---- Flags ----------------------------------------------------------------------------------------------- */

/**
 * A flag of a visitor: a live view, which reads the visitor's flags at each call. Thread-safe. It holds the visitor, which may
 * be freed before.
 */
typedef struct hoist_flagship_flag hoist_flagship_flag;

/**
 * @return Owned by the caller; free with hoist_flagship_flag_free(). For an unknown key, too: hoist_flagship_flag_exists() is
 *         false then. NULL when an argument is NULL, or the key is not UTF-8.
 */
HOIST_API hoist_flagship_flag *HOIST_NULLABLE hoist_flagship_visitor_flag(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                                          const char *HOIST_NULLABLE key);
/** Frees a flag; NULL is harmless. */
HOIST_API void hoist_flagship_flag_free(hoist_flagship_flag *HOIST_NULLABLE flag);

/** Borrowed: valid until the flag is freed. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_flagship_flag_key(const hoist_flagship_flag *HOIST_NULLABLE flag);
/** Whether the service has given the visitor this flag, null included. False in panic, before the start and after close. */
HOIST_API bool hoist_flagship_flag_exists(const hoist_flagship_flag *HOIST_NULLABLE flag);
/** HOIST_FLAGSHIP_FLAG_NOT_FOUND for NULL. */
HOIST_API hoist_flagship_flag_state hoist_flagship_flag_status(const hoist_flagship_flag *HOIST_NULLABLE flag);

/* The values, as those by key above. */
HOIST_API hoist_status hoist_flagship_flag_bool(const hoist_flagship_flag *HOIST_NULLABLE flag, bool fallback, bool exposed,
                                                bool *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_flag_int64(const hoist_flagship_flag *HOIST_NULLABLE flag, int64_t fallback,
                                                 bool exposed, int64_t *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_flag_double(const hoist_flagship_flag *HOIST_NULLABLE flag, double fallback,
                                                  bool exposed, double *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_flag_string(const hoist_flagship_flag *HOIST_NULLABLE flag,
                                                  const char *HOIST_NULLABLE fallback, bool exposed,
                                                  hoist_text *HOIST_NULLABLE *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_flag_json(const hoist_flagship_flag *HOIST_NULLABLE flag,
                                                const char *HOIST_NULLABLE fallback, bool exposed,
                                                hoist_text *HOIST_NULLABLE *HOIST_NULLABLE value);

/**
 * Counts the visitor as having seen the flag, whether its value was read or not. Never waits; it is sent at once, or with
 * property `hits.batch_activates` as hits are, and observers (hoist_flagship_observe()) are told once the service has accepted it.
 *
 * @return HOIST_ERR_NOT_FOUND for a flag that no campaign gave the visitor (logged), HOIST_ERR_FLAGSHIP_NO_CONSENT,
 *         HOIST_ERR_FLAGSHIP_PANIC, HOIST_ERR_FLAGSHIP_NOT_INITIALIZED, HOIST_ERR_LIMIT when too much waits to be sent:
 *         nothing is sent then. HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_flagship_flag_expose(const hoist_flagship_flag *HOIST_NULLABLE flag);

/**
 * How the visitor comes to the flag, with its context, its assignments and the campaigns of this moment: a JSON array of the
 * campaigns that were asked, with each targeting's outcome. "[]" where there is nothing to tell. Free with hoist_text_free();
 * NULL for NULL. For people; its form may grow.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_flagship_flag_explain(const hoist_flagship_flag *HOIST_NULLABLE flag);

/* ---- Metadata -------------------------------------------------------------------------------------------- */

/** Where a value came from, as it was when it was asked for. Immutable; outlives flag, visitor and client. */
typedef struct hoist_flagship_metadata hoist_flagship_metadata;

/**
 * @return Owned by the caller; free with hoist_flagship_metadata_free(). Empty for a flag that does not exist. NULL for NULL
 *         only.
 */
HOIST_API hoist_flagship_metadata *HOIST_NULLABLE
hoist_flagship_flag_metadata(const hoist_flagship_flag *HOIST_NULLABLE flag);
/** Frees metadata; NULL is harmless. */
HOIST_API void hoist_flagship_metadata_free(hoist_flagship_metadata *HOIST_NULLABLE metadata);

/* Texts are borrowed: valid until the metadata are freed. "" where there is none; NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_campaign_id(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_campaign_name(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_variation_group_id(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_variation_group_name(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_variation_id(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_variation_name(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
/** Whether the variation is the one that others are compared with. */
HOIST_API bool hoist_flagship_metadata_is_reference(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
/** E.g. "ab". */
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_campaign_type(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API const char *HOIST_NULLABLE
hoist_flagship_metadata_slug(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
/**
 * A JSON object: {"campaignId","campaignName","variationGroupId","variationGroupName","variationId","variationName",
 * "isReference","campaignType","slug"}. Free with hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_flagship_metadata_to_json(const hoist_flagship_metadata *HOIST_NULLABLE metadata);

/* ---- Collections ----------------------------------------------------------------------------------------- */

/**
 * Flags by key: those that the visitor had when the collection was made, each a live view. Thread-safe. It outlives visitor
 * and client.
 */
typedef struct hoist_flagship_flags hoist_flagship_flags;

/** All flags of the visitor, in the order in which campaigns gave them. Free with hoist_flagship_flags_free(). NULL for NULL. */
HOIST_API hoist_flagship_flags *HOIST_NULLABLE
hoist_flagship_visitor_flags(hoist_flagship_visitor *HOIST_NULLABLE visitor);
/** Frees a collection; NULL is harmless. */
HOIST_API void hoist_flagship_flags_free(hoist_flagship_flags *HOIST_NULLABLE flags);

/** 0 for NULL. */
HOIST_API size_t hoist_flagship_flags_count(const hoist_flagship_flags *HOIST_NULLABLE flags);
/** True for NULL. */
HOIST_API bool hoist_flagship_flags_is_empty(const hoist_flagship_flags *HOIST_NULLABLE flags);
/** Borrowed: valid until the collection is freed. NULL for an index that is not below the count. */
HOIST_API const char *HOIST_NULLABLE hoist_flagship_flags_key_at(const hoist_flagship_flags *HOIST_NULLABLE flags,
                                                                 size_t index);
/** Metadata of the flag at an index, as hoist_flagship_flag_metadata(). NULL for an index that is not below the count. */
HOIST_API hoist_flagship_metadata *HOIST_NULLABLE
hoist_flagship_flags_metadata_at(const hoist_flagship_flags *HOIST_NULLABLE flags, size_t index);

/**
 * @return Owned by the caller; free with hoist_flagship_flag_free(). An empty flag, which never exists, for a key that is not
 *         in the collection. NULL when an argument is NULL, or the key is not UTF-8.
 */
HOIST_API hoist_flagship_flag *HOIST_NULLABLE hoist_flagship_flags_get(const hoist_flagship_flags *HOIST_NULLABLE flags,
                                                                       const char *HOIST_NULLABLE key);
/**
 * Puts a flag under a key, in place of the one that is there. The collection holds it; the caller frees its own.
 * @return HOIST_ERR_ARGUMENT when an argument is NULL, or the key is not UTF-8.
 */
HOIST_API hoist_status hoist_flagship_flags_set(hoist_flagship_flags *HOIST_NULLABLE flags, const char *HOIST_NULLABLE key,
                                                const hoist_flagship_flag *HOIST_NULLABLE flag);

/** @param flag Borrowed: valid only during the call. */
typedef void (*hoist_flagship_each_flag)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                         const hoist_flagship_flag *HOIST_NONNULL flag);
/** Likewise; whether the flag is taken. */
typedef bool (*hoist_flagship_takes_flag)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                          const hoist_flagship_flag *HOIST_NONNULL flag);
/**
 * Calls `body` for each flag, in order, on this thread and before this returns. Every function may be called from it; changes
 * of the collection count from the next call on.
 */
HOIST_API void hoist_flagship_flags_for_each(const hoist_flagship_flags *HOIST_NULLABLE flags,
                                             hoist_flagship_each_flag HOIST_NULLABLE body, void *HOIST_NULLABLE user_data);
/** A new collection of the flags that `takes` takes. Free with hoist_flagship_flags_free(). NULL when an argument is NULL. */
HOIST_API hoist_flagship_flags *HOIST_NULLABLE
hoist_flagship_flags_filter(const hoist_flagship_flags *HOIST_NULLABLE flags,
                            hoist_flagship_takes_flag HOIST_NULLABLE takes, void *HOIST_NULLABLE user_data);

/**
 * A JSON array with an object for each flag that exists: the members of hoist_flagship_metadata_to_json(), `key`, and `hex`,
 * the bytes of {"v":VALUE} in hexadecimal. "" when there is none. Free with hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_flagship_flags_to_json(const hoist_flagship_flags *HOIST_NULLABLE flags);
/** hoist_flagship_flag_expose() for each flag. HOIST_OK, or what the first one gave that was not sent; all are tried. */
HOIST_API hoist_status hoist_flagship_flags_expose_all(const hoist_flagship_flags *HOIST_NULLABLE flags);

#ifdef __cplusplus
}
#endif
#endif

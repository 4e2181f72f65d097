/**
 * @file
 * LaunchDarkly's values (its LDValue): null, boolean, number, string, array, object.
 *
 * They make the attributes of contexts, and are what attributes are read as. Values of flags come from the calls of
 * evaluation.h; hoist_launchdarkly_value_from_json() reads what hoist_client_json() gives.
 */
#ifndef HOIST_LAUNCHDARKLY_VALUE_H
#define HOIST_LAUNCHDARKLY_VALUE_H

#include "../base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A JSON value. Numbers are doubles: 1 and 1.0 are the same, and no boolean is a number.
 *
 * Any number of threads may read one at a time. Arrays and objects can be changed, by one thread at a time. A value that
 * is put into another is copied, and so is one that is taken out: changing one never changes another. A value takes at
 * most 16 MiB as JSON, with at most 128 containers in one another: HOIST_ERR_LIMIT beyond.
 */
typedef struct hoist_launchdarkly_value hoist_launchdarkly_value;

typedef int32_t hoist_launchdarkly_kind;
enum {
    HOIST_LAUNCHDARKLY_NULL   = 0,
    HOIST_LAUNCHDARKLY_BOOL   = 1,
    HOIST_LAUNCHDARKLY_NUMBER = 2,
    HOIST_LAUNCHDARKLY_STRING = 3,
    HOIST_LAUNCHDARKLY_ARRAY  = 4,
    HOIST_LAUNCHDARKLY_OBJECT = 5
};

/** JSON's null. Owned by the caller, as of all these; free with hoist_launchdarkly_value_free(). */
HOIST_API hoist_launchdarkly_value *HOIST_NONNULL hoist_launchdarkly_value_new_null(void);
HOIST_API hoist_launchdarkly_value *HOIST_NONNULL hoist_launchdarkly_value_new_bool(bool value);
/** NULL for NaN and infinities, which JSON does not have. */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE hoist_launchdarkly_value_new_number(double value);
/** Borrowed for the call. NULL for NULL and invalid UTF-8. */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE hoist_launchdarkly_value_new_string(const char *HOIST_NULLABLE value);
/** An empty array. */
HOIST_API hoist_launchdarkly_value *HOIST_NONNULL hoist_launchdarkly_value_new_array(void);
/** An empty object. */
HOIST_API hoist_launchdarkly_value *HOIST_NONNULL hoist_launchdarkly_value_new_object(void);

/** Reads JSON text, borrowed for the call. Free with hoist_launchdarkly_value_free(). NULL with `error` set otherwise. */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_value_from_json(const char *HOIST_NULLABLE json, size_t length,
                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Compact JSON, members in the order of their names: one text for equal values. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_launchdarkly_value_to_json(const hoist_launchdarkly_value *HOIST_NULLABLE value);

/** A value of its own, with the same content. NULL for NULL. */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_value_copy(const hoist_launchdarkly_value *HOIST_NULLABLE value);
/** Frees a value; NULL is harmless. */
HOIST_API void hoist_launchdarkly_value_free(hoist_launchdarkly_value *HOIST_NULLABLE value);

/** Whether two values are the same; members of objects have no order. False when either is NULL. */
HOIST_API bool hoist_launchdarkly_value_equals(const hoist_launchdarkly_value *HOIST_NULLABLE value,
                                               const hoist_launchdarkly_value *HOIST_NULLABLE other);

/* ---- Reading -------------------------------------------------------------------------------------------------- */

/** HOIST_LAUNCHDARKLY_NULL for NULL. */
HOIST_API hoist_launchdarkly_kind
hoist_launchdarkly_value_kind(const hoist_launchdarkly_value *HOIST_NULLABLE value);
/** The boolean; `fallback` for everything else. */
HOIST_API bool hoist_launchdarkly_value_as_bool(const hoist_launchdarkly_value *HOIST_NULLABLE value, bool fallback);
/** The number, without its fraction; `fallback` for everything else, and for numbers that are out of range. */
HOIST_API int64_t hoist_launchdarkly_value_as_int64(const hoist_launchdarkly_value *HOIST_NULLABLE value,
                                                    int64_t fallback);
/** The number; `fallback` for everything else. */
HOIST_API double hoist_launchdarkly_value_as_double(const hoist_launchdarkly_value *HOIST_NULLABLE value,
                                                    double fallback);
/** The string; "" for everything else. Borrowed: valid until the value is freed. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_launchdarkly_value_as_string(const hoist_launchdarkly_value *HOIST_NULLABLE value);
/** Bytes of the string, in which there may be NULs; 0 for everything else. */
HOIST_API size_t hoist_launchdarkly_value_string_length(const hoist_launchdarkly_value *HOIST_NULLABLE value);

/** Elements of an array, members of an object; 0 for everything else. */
HOIST_API size_t hoist_launchdarkly_value_count(const hoist_launchdarkly_value *HOIST_NULLABLE value);
/**
 * An element of an array, or the value of a member, members being in the order of their names' bytes. Owned by the
 * caller; free with hoist_launchdarkly_value_free(). NULL when there is none.
 */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_value_at(const hoist_launchdarkly_value *HOIST_NULLABLE value, size_t index);
/** The name of a member. Borrowed: valid until the object is changed or freed. NULL beyond the last, and for what is no object. */
HOIST_API const char *HOIST_NULLABLE
hoist_launchdarkly_value_key_at(const hoist_launchdarkly_value *HOIST_NULLABLE value, size_t index);
/** A member's value. Owned by the caller; free with hoist_launchdarkly_value_free(). NULL when there is none. */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_value_get(const hoist_launchdarkly_value *HOIST_NULLABLE value, const char *HOIST_NULLABLE name);

/* ---- Changing ------------------------------------------------------------------------------------------------- */

/** Adds a copy of `element` to an array. HOIST_ERR_ARGUMENT for what is no array. */
HOIST_API hoist_status hoist_launchdarkly_value_append(hoist_launchdarkly_value *HOIST_NULLABLE value,
                                                       const hoist_launchdarkly_value *HOIST_NULLABLE element);
/** Sets a member of an object to a copy of `member`. HOIST_ERR_ARGUMENT for what is no object. */
HOIST_API hoist_status hoist_launchdarkly_value_set(hoist_launchdarkly_value *HOIST_NULLABLE value,
                                                    const char *HOIST_NULLABLE name,
                                                    const hoist_launchdarkly_value *HOIST_NULLABLE member);
/** Removes a member of an object. HOIST_ERR_NOT_FOUND when there is none of that name. */
HOIST_API hoist_status hoist_launchdarkly_value_remove(hoist_launchdarkly_value *HOIST_NULLABLE value,
                                                       const char *HOIST_NULLABLE name);

#ifdef __cplusplus
}
#endif
#endif

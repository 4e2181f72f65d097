/**
 * @file
 * The evaluation context: who or what a flag is evaluated for.
 */
#ifndef HOIST_CONTEXT_H
#define HOIST_CONTEXT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A targeting key and typed attributes. Not tied to a client; any number of threads may evaluate with one
 * context at a time. Changing it is for one thread at a time; an evaluation that runs meanwhile sees the
 * state before or after the change, never a mixture.
 */
typedef struct hoist_context hoist_context;

/**
 * @param targeting_key Identifies the subject; NULL for none. Borrowed for the call.
 * @return Owned by the caller; free with hoist_context_free(). NULL for invalid UTF-8.
 */
HOIST_API hoist_context *HOIST_NULLABLE hoist_context_new(const char *HOIST_NULLABLE targeting_key);

/** A copy that is changed and freed on its own. NULL for NULL. */
HOIST_API hoist_context *HOIST_NULLABLE hoist_context_copy(const hoist_context *HOIST_NULLABLE context);

/** Frees a context; NULL is harmless. No evaluation may be using it. */
HOIST_API void hoist_context_free(hoist_context *HOIST_NULLABLE context);

/** Sets or (NULL) removes the targeting key. HOIST_ERR_ARGUMENT for invalid UTF-8. */
HOIST_API hoist_status hoist_context_set_targeting_key(hoist_context *HOIST_NULLABLE context,
                                                       const char *HOIST_NULLABLE targeting_key);

/*
 * Attributes. A name is UTF-8 of at most 1024 bytes, a value at most 1 MiB, a context at most
 * 10,000 attributes: HOIST_ERR_LIMIT beyond, HOIST_ERR_ARGUMENT for NULL or invalid UTF-8.
 * Setting a name again replaces its value. Everything is borrowed for the call.
 */
HOIST_API hoist_status hoist_context_set_string(hoist_context *HOIST_NULLABLE context,
                                                const char *HOIST_NULLABLE name, const char *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_context_set_bool(hoist_context *HOIST_NULLABLE context,
                                              const char *HOIST_NULLABLE name, bool value);
HOIST_API hoist_status hoist_context_set_int64(hoist_context *HOIST_NULLABLE context,
                                               const char *HOIST_NULLABLE name, int64_t value);
/** NaN and infinities are refused with HOIST_ERR_ARGUMENT. */
HOIST_API hoist_status hoist_context_set_double(hoist_context *HOIST_NULLABLE context,
                                                const char *HOIST_NULLABLE name, double value);
/** A point in time, in milliseconds since 1970-01-01T00:00:00Z. Reads as RFC 3339 text in UTC. */
HOIST_API hoist_status hoist_context_set_date(hoist_context *HOIST_NULLABLE context,
                                              const char *HOIST_NULLABLE name, int64_t at_unix_ms);
/** A list of texts. */
HOIST_API hoist_status hoist_context_set_strings(hoist_context *HOIST_NULLABLE context,
                                                 const char *HOIST_NULLABLE name,
                                                 const char *HOIST_NULLABLE const *HOIST_NULLABLE values,
                                                 size_t count);
/** Any JSON value; scalars become typed attributes. HOIST_ERR_PARSE when it is not JSON. */
HOIST_API hoist_status hoist_context_set_json(hoist_context *HOIST_NULLABLE context,
                                              const char *HOIST_NULLABLE name, const char *HOIST_NULLABLE json,
                                              size_t length);
/** Removes an attribute. HOIST_ERR_NOT_FOUND when there is none of that name. */
HOIST_API hoist_status hoist_context_remove(hoist_context *HOIST_NULLABLE context, const char *HOIST_NULLABLE name);

/** What type an attribute has. */
typedef int32_t hoist_attribute_type;
enum {
    HOIST_ATTRIBUTE_NULL    = 0,
    HOIST_ATTRIBUTE_BOOL    = 1,
    HOIST_ATTRIBUTE_INT64   = 2,
    HOIST_ATTRIBUTE_DOUBLE  = 3,
    HOIST_ATTRIBUTE_STRING  = 4,
    HOIST_ATTRIBUTE_DATE    = 5,
    HOIST_ATTRIBUTE_STRINGS = 6,
    HOIST_ATTRIBUTE_JSON    = 7
};

/** An attribute as it is read. */
typedef struct hoist_attribute {
    size_t struct_size; /**< sizeof(hoist_attribute), set by the caller */
    hoist_attribute_type type;
    const char *HOIST_NULLABLE text; /**< a string as it is, a date as RFC 3339, everything else as JSON; with a NUL */
    size_t length;                   /**< bytes of `text` before the NUL */
    int64_t integer;                 /**< a boolean as 0 or 1, an integer, a date in milliseconds since 1970; else 0 */
    double number;                   /**< a boolean, an integer or a double; else 0 */
} hoist_attribute;

#define HOIST_ATTRIBUTE_INIT { sizeof(hoist_attribute), HOIST_ATTRIBUTE_NULL, NULL, 0, 0, 0 }

/* Reading. Texts are borrowed: valid until the context is changed or freed. */

/** The targeting key; "" when there is none, NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_context_get_targeting_key(const hoist_context *HOIST_NULLABLE context);
/**
 * Reads an attribute, without an allocation once the context has been evaluated with.
 *
 * @param attribute Filled in on success.
 * @return HOIST_OK; HOIST_ERR_NOT_FOUND; HOIST_ERR_ARGUMENT, also for a wrong struct_size.
 */
HOIST_API hoist_status hoist_context_get(const hoist_context *HOIST_NULLABLE context, const char *HOIST_NULLABLE name,
                                         hoist_attribute *HOIST_NULLABLE attribute);

/**
 * Reads a JSON object: member "targetingKey" is the targeting key, every other member an attribute. Where there is none, and
 * a text "userId" beside an object "properties", as some services' own SDKs write it, these are the targeting key and attributes;
 * what then stands at the top and in "properties" is refused.
 *
 * @return Owned by the caller; free with hoist_context_free(). NULL with `error` set otherwise.
 */
HOIST_API hoist_context *HOIST_NULLABLE hoist_context_from_json(const char *HOIST_NULLABLE json, size_t length,
                                                                hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** The context as hoist_context_from_json() reads it. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_context_to_json(const hoist_context *HOIST_NULLABLE context);

#ifdef __cplusplus
}
#endif
#endif

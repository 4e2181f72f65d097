/**
 * @file
 * LaunchDarkly's flags beside the calls of evaluation.h: all values, integers, what a detail says in LaunchDarkly's words,
 * values of a type of the caller's own.
 */
#ifndef HOIST_LAUNCHDARKLY_FLAGS_H
#define HOIST_LAUNCHDARKLY_FLAGS_H

#include "../client.h"
#include "../context.h"
#include "../evaluation.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * allFlags: every flag of the current context with its value, JSON null included, as one JSON object. Makes no events and
 * runs no hooks. Any thread.
 *
 * @return JSON text, owned by the caller; free with hoist_text_free(). "null" before the client has started, after it was
 *         closed, in mode server, and for clients of other services; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_launchdarkly_all_flags(hoist_client *HOIST_NULLABLE client);

/**
 * intVariation: a number of the current context without its fraction, cut toward zero; one beyond 64 bits is of the wrong
 * type. The other variations are the calls of evaluation.h with NULL for the context; hoist_client_int64() takes whole
 * numbers alone.
 *
 * @param client   May be NULL or closed: then `fallback` is returned. For a client of another service hoist_client_int64().
 * @param fallback Returned when the flag cannot be evaluated.
 * @param detail   NULL, or receives a detail to free with hoist_detail_free().
 */
HOIST_API int64_t hoist_launchdarkly_int_variation(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                                   int64_t fallback,
                                                   hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/**
 * hoist_launchdarkly_int_variation() for a context, which is of use in mode server.
 *
 * @param context As for hoist_client_int64(). NULL for the current one. Borrowed for the call.
 */
HOIST_API int64_t hoist_launchdarkly_int_variation_for(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                                       const hoist_context *HOIST_NULLABLE context, int64_t fallback,
                                                       hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/**
 * The evaluation reason as a JSON object: the service's own, word for word, where the property `evaluation_reasons` is on,
 * and in mode server; `{"kind":"ERROR","errorKind":…}` where the flag could not be evaluated.
 *
 * @return Owned by the caller; free with hoist_text_free(). "null" when there is none; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_launchdarkly_detail_reason(const hoist_detail *HOIST_NULLABLE detail);

/**
 * Why the fallback was returned: "CLIENT_NOT_READY", "FLAG_NOT_FOUND", "WRONG_TYPE", "MALFORMED_FLAG",
 * "USER_NOT_SPECIFIED" (another context than the client's current one; in mode server one that is none), "EXCEPTION". Static; "" when the flag was
 * evaluated; NULL for NULL. A flag whose value is null is no error.
 */
HOIST_API const char *HOIST_NULLABLE hoist_launchdarkly_detail_error_kind(const hoist_detail *HOIST_NULLABLE detail);

/**
 * variationIndex: which of the flag's variations the value is.
 *
 * @param index Receives it; may be NULL. Left alone when there is none.
 * @return Whether there is one; false for NULL.
 */
HOIST_API bool hoist_launchdarkly_detail_variation_index(const hoist_detail *HOIST_NULLABLE detail,
                                                         int64_t *HOIST_NULLABLE index);

/**
 * Turns a flag's value into something of the host's.
 *
 * @param json   The value as JSON text; valid only during the callback, and followed by a NUL.
 * @return false when the value does not convert.
 */
typedef bool (*hoist_launchdarkly_decode)(const char *HOIST_NONNULL json, size_t length,
                                          void *HOIST_NULLABLE user_data);

/**
 * variation<T>: the flag's value for the current context, converted by the host. One evaluation; a value that does not
 * convert is of the wrong type.
 *
 * @param decode    Called at most once, on this thread, before the call returns, while no lock is held; not called for a
 *                  flag that is unknown or whose value is null.
 * @param user_data For `decode`.
 * @param fallback  JSON text of what the caller uses instead, for events; NULL counts as "null". Borrowed for the call.
 * @param detail    NULL, or receives a detail to free with hoist_detail_free().
 * @return Whether `decode` has converted the value; otherwise the caller uses its fallback.
 */
HOIST_API bool hoist_launchdarkly_variation_decode(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                                   hoist_launchdarkly_decode HOIST_NULLABLE decode,
                                                   void *HOIST_NULLABLE user_data, const char *HOIST_NULLABLE fallback,
                                                   hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

#ifdef __cplusplus
}
#endif
#endif

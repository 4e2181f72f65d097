/**
 * @file
 * Evaluation: typed values of flags, and details that say how they were chosen.
 *
 * Nothing here blocks or fails: when anything is wrong the fallback is returned, and the detail says why.
 */
#ifndef HOIST_EVALUATION_H
#define HOIST_EVALUATION_H

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a value was chosen. Owned by the caller; immutable; outlives its client. */
typedef struct hoist_detail hoist_detail;

/**
 * Evaluates a boolean flag.
 *
 * @param client   May be NULL or closed: then `fallback` is returned.
 * @param key      NUL-terminated UTF-8, at most 4096 bytes. Borrowed for the call.
 * @param context  NULL means the client's current context. Borrowed for the call.
 * @param fallback Returned when the flag cannot be evaluated.
 * @param detail   NULL, or receives a detail to free with hoist_detail_free().
 */
HOIST_API bool hoist_client_bool(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                 const hoist_context *HOIST_NULLABLE context, bool fallback,
                                 hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/** Evaluates an integer flag; parameters as hoist_client_bool(). A fraction is a type mismatch, in every service. */
HOIST_API int64_t hoist_client_int64(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                     const hoist_context *HOIST_NULLABLE context, int64_t fallback,
                                     hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/** Evaluates a number flag; parameters as hoist_client_bool(). */
HOIST_API double hoist_client_double(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                     const hoist_context *HOIST_NULLABLE context, double fallback,
                                     hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/**
 * Evaluates a text flag into the caller's buffer.
 *
 * @param fallback Copied into the buffer when the flag cannot be evaluated; NULL counts as "".
 * @param buffer   Receives at most `size - 1` bytes, cut between characters, and a NUL. May be NULL when size is 0.
 * @return Bytes the whole text has, without the NUL: more than `size - 1` means that it was cut.
 */
HOIST_API size_t hoist_client_string(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                     const hoist_context *HOIST_NULLABLE context,
                                     const char *HOIST_NULLABLE fallback, char *HOIST_NULLABLE buffer, size_t size,
                                     hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/**
 * Evaluates a JSON flag.
 *
 * @param fallback JSON text to return when the flag cannot be evaluated; NULL counts as "null".
 * @return JSON text, owned by the caller; free with hoist_text_free(). NULL only when `fallback` is invalid UTF-8.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_client_json(hoist_client *HOIST_NULLABLE client,
                                                       const char *HOIST_NULLABLE key,
                                                       const hoist_context *HOIST_NULLABLE context,
                                                       const char *HOIST_NULLABLE fallback,
                                                       hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/**
 * Evaluates a flag whatever its type: on or off, variation, value, reason, metadata. Counts as one evaluation.
 *
 * @param detail Receives a detail to free with hoist_detail_free(), also when the flag is unknown.
 * @return HOIST_OK, or HOIST_ERR_ARGUMENT with `detail` NULL.
 */
HOIST_API hoist_status hoist_client_evaluate(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                             const hoist_context *HOIST_NULLABLE context,
                                             hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/** hoist_client_evaluate() that records each step for hoist_detail_explanation(); counts and announces nothing. */
HOIST_API hoist_status hoist_client_explain(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                            const hoist_context *HOIST_NULLABLE context,
                                            hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/**
 * Every known flag, evaluated, as a JSON object of key → detail; counts and announces nothing.
 *
 * @return Owned by the caller; free with hoist_text_free(). "{}" before the first flags; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_client_all_flags(hoist_client *HOIST_NULLABLE client,
                                                            const hoist_context *HOIST_NULLABLE context);

/* Reading a detail. Texts are borrowed: valid until hoist_detail_free(). A detail that is NULL reads as NULL, false, 0. */

/** The flag key as it was asked for. */
HOIST_API const char *HOIST_NULLABLE hoist_detail_key(const hoist_detail *HOIST_NULLABLE detail);
/** Whether the flag is on; for typed calls, whether it has a value of its own. */
HOIST_API bool hoist_detail_enabled(const hoist_detail *HOIST_NULLABLE detail);
/** Name of the variation, "" when there is none. */
HOIST_API const char *HOIST_NULLABLE hoist_detail_variation(const hoist_detail *HOIST_NULLABLE detail);
/** The value as JSON text: what was returned, the fallback included, or for hoist_client_evaluate() what the flag
 *  holds; "null" when nothing, and for a fallback that is no JSON. */
HOIST_API const char *HOIST_NULLABLE hoist_detail_value(const hoist_detail *HOIST_NULLABLE detail);
/*
 * The value again, as a type; `fallback` when it is of another one, and for NULL. A number with a fraction is no integer.
 */
HOIST_API bool hoist_detail_bool(const hoist_detail *HOIST_NULLABLE detail, bool fallback);
HOIST_API int64_t hoist_detail_int64(const hoist_detail *HOIST_NULLABLE detail, int64_t fallback);
HOIST_API double hoist_detail_double(const hoist_detail *HOIST_NULLABLE detail, double fallback);
/**
 * @param length NULL, or receives the bytes before the NUL.
 * @return Borrowed: valid until hoist_detail_free(); or `fallback` itself.
 */
HOIST_API const char *HOIST_NULLABLE hoist_detail_string(const hoist_detail *HOIST_NULLABLE detail,
                                                         const char *HOIST_NULLABLE fallback,
                                                         size_t *HOIST_NULLABLE length);
/** "STATIC", "DEFAULT", "TARGETING_MATCH", "SPLIT", "CACHED", "DISABLED", "STALE", "UNKNOWN" or "ERROR". */
HOIST_API const char *HOIST_NULLABLE hoist_detail_reason(const hoist_detail *HOIST_NULLABLE detail);
/**
 * "" or "PROVIDER_NOT_READY", "FLAG_NOT_FOUND", "PARSE_ERROR", "TYPE_MISMATCH", "TARGETING_KEY_MISSING",
 * "INVALID_CONTEXT", "PROVIDER_FATAL", "GENERAL".
 */
HOIST_API const char *HOIST_NULLABLE hoist_detail_error_code(const hoist_detail *HOIST_NULLABLE detail);
/** One line for people when there is an error code, "" otherwise. */
HOIST_API const char *HOIST_NULLABLE hoist_detail_error_message(const hoist_detail *HOIST_NULLABLE detail);
/** What the service tells about the flag, as a JSON object in the vendor's words; "{}" when nothing. */
HOIST_API const char *HOIST_NULLABLE hoist_detail_metadata(const hoist_detail *HOIST_NULLABLE detail);
/** The steps of hoist_client_explain() as JSON; "null" in other details. */
HOIST_API const char *HOIST_NULLABLE hoist_detail_explanation(const hoist_detail *HOIST_NULLABLE detail);
/** All of it as one JSON object. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_detail_to_json(const hoist_detail *HOIST_NULLABLE detail);
/** Frees a detail; NULL is harmless. */
HOIST_API void hoist_detail_free(hoist_detail *HOIST_NULLABLE detail);

#ifdef __cplusplus
}
#endif
#endif

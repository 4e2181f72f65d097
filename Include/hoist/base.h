/**
 * @file
 * What every other header stands on: attributes, statuses, errors, owned text, version.
 */
#ifndef HOIST_BASE_H
#define HOIST_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__) /* where -pedantic warns of these words, for the host's own uses only */
#  define HOIST_QUALIFIER(word)                                                                              \
      _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wnullability-extension\"") word \
          _Pragma("clang diagnostic pop")
#  define HOIST_NULLABLE HOIST_QUALIFIER(_Nullable)
#  define HOIST_NONNULL  HOIST_QUALIFIER(_Nonnull)
#else
#  define HOIST_NULLABLE
#  define HOIST_NONNULL
#endif

#ifndef HOIST_DEPRECATED /* marks calls that a vendor has deprecated; define it empty to hear nothing of them */
#  if !defined(HOIST_API) && (defined(__GNUC__) || defined(__clang__))
#    define HOIST_DEPRECATED __attribute__((deprecated))
#  else
#    define HOIST_DEPRECATED
#  endif
#endif

#ifndef HOIST_API /* define both empty, and HOIST_PLUGIN_EXPORT, to feed the headers to an FFI parser */
#  if defined(__GNUC__) || defined(__clang__)
#    define HOIST_API        __attribute__((visibility("default")))
#    define HOIST_MUST_CHECK __attribute__((warn_unused_result))
#  else
#    define HOIST_API
#    define HOIST_MUST_CHECK
#  endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HOIST_VERSION_MAJOR 0
#define HOIST_VERSION_MINOR 1
#define HOIST_VERSION_PATCH 0
/** Grows with every release: major * 1000000 + minor * 1000 + patch. */
#define HOIST_VERSION_NUMBER \
    (HOIST_VERSION_MAJOR * 1000000 + HOIST_VERSION_MINOR * 1000 + HOIST_VERSION_PATCH)

/** Version of the library at run time, "major.minor.patch". Static; never freed. */
HOIST_API const char *HOIST_NONNULL hoist_version(void);
/** HOIST_VERSION_NUMBER of the library at run time. */
HOIST_API uint32_t hoist_version_number(void);

/** Result of a call that can fail. Zero is success; values are never renumbered. */
typedef int32_t hoist_status;
enum {
    HOIST_OK              = 0,
    HOIST_ERR_ARGUMENT    = 1,  /**< NULL where not allowed, invalid UTF-8, bad struct_size */
    HOIST_ERR_STATE       = 2,  /**< not possible now: closed, closing, or on a thread of Hoist's own */
    HOIST_ERR_TIMEOUT     = 3,  /**< the time given was over before the work was */
    HOIST_ERR_CONFIG      = 4,  /**< a property is unknown, of a wrong type, out of range or missing */
    HOIST_ERR_PARSE       = 5,  /**< a document could not be read */
    HOIST_ERR_LIMIT       = 6,  /**< a documented limit is reached; the thing was dropped and counted */
    HOIST_ERR_IO          = 7,  /**< a file or the store failed */
    HOIST_ERR_NETWORK     = 8,  /**< no answer, or an answer that means failure */
    HOIST_ERR_NOT_FOUND   = 9,  /**< no such flag, token or member */
    HOIST_ERR_UNSUPPORTED = 10, /**< this provider, or this mode of it, has no such thing */
    HOIST_ERR_SUPERSEDED  = 11, /**< a newer request took the place of this one */
    HOIST_ERR_CANCELLED   = 12, /**< ended by a close, a stop or the host */
    HOIST_ERR_PLUGIN      = 13, /**< a plug-in failed or broke its contract */
    HOIST_ERR_UNSAVED     = 14, /**< recorded, in memory only: stored as soon as the store works, see hoist_client_track() */
    HOIST_ERR_REJECTED    = 15  /**< the service refused, for good, something that was recorded */
    /* 1000…1099 Unleash, 1100…1199 Optimizely, 1200…1299 LaunchDarkly, 1300…1399 Flagship,
       1400…1499 Kameleoon: see the vendor's header */
};

/** Name of a status, e.g. "HOIST_ERR_CONFIG"; "HOIST_ERR_UNKNOWN" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_status_name(hoist_status status);

/** Why a call failed: a status and one line for people. Owned by the caller; immutable. */
typedef struct hoist_error hoist_error;

/** The status the failed call returned. HOIST_OK for NULL. */
HOIST_API hoist_status hoist_error_status(const hoist_error *HOIST_NULLABLE error);
/** One line: what was wrong, where, what to do. Borrowed: valid until hoist_error_free(). NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_error_message(const hoist_error *HOIST_NULLABLE error);
/** Frees an error; NULL is harmless. */
HOIST_API void hoist_error_free(hoist_error *HOIST_NULLABLE error);

/** How grave a line of the log is. */
typedef int32_t hoist_log_level;
enum {
    HOIST_LOG_NONE    = 0,
    HOIST_LOG_ERROR   = 1,
    HOIST_LOG_WARNING = 2,
    HOIST_LOG_INFO    = 3,
    HOIST_LOG_DEBUG   = 4
};

/**
 * An element of an array of structs that Hoist hands out: its elements are as far apart as the first one says by its
 * `struct_size`, which a newer Hoist may have made larger than sizeof says here.
 *
 *     for (size_t i = 0; i < request->header_count; i++) use(HOIST_AT(hoist_header, request->headers, i)->name);
 *
 * Arrays that are handed to Hoist are read the same way.
 */
#define HOIST_AT(type, array, index) \
    ((const type *)(const void *)((const char *)(const void *)(array) + (size_t)(index) * (array)->struct_size))

/** A piece of UTF-8 text that a call handed out. Owned by the caller; immutable. */
typedef struct hoist_text hoist_text;

/** The bytes, followed by a NUL. Borrowed: valid until hoist_text_free(). NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_text_data(const hoist_text *HOIST_NULLABLE text);
/** Bytes before the NUL. 0 for NULL. */
HOIST_API size_t hoist_text_length(const hoist_text *HOIST_NULLABLE text);
/** Frees a text; NULL is harmless. */
HOIST_API void hoist_text_free(hoist_text *HOIST_NULLABLE text);

#ifdef __cplusplus
}
#endif
#endif

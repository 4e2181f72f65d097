/**
 * @file
 * LaunchDarkly's contexts: the subjects of evaluations. One of a kind (a user, an organisation, a device), or several
 * of different kinds in one; keys, attributes, private attributes, references to attributes.
 *
 * A hoist_context is a LaunchDarkly context too, where such a client takes it: the targeting key is the key, attribute
 * "kind" the kind (without it "user"), "name" a text, "anonymous" a boolean, "_meta" an object with an array
 * "privateAttributes"; every other attribute is a custom one. Without a targeting key one is generated and kept, as
 * hoist_launchdarkly_builder_new() says. A context of kind "multi" has no targeting key: each other attribute is a JSON
 * object {"key":…} of the kind that the attribute is named after, which gets a key where it has none. hoist_launchdarkly_context_from_hoist() makes the same
 * in these words, hoist_launchdarkly_context_to_hoist() goes the other way. The one context that may have an empty key, a
 * user of the old form, has null for its "kind" there.
 */
#ifndef HOIST_LAUNCHDARKLY_CONTEXT_H
#define HOIST_LAUNCHDARKLY_CONTEXT_H

#include "../context.h"
#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Why something is no context. The error's message names the kind or the attribute, and quotes no value. */
enum {
    HOIST_ERR_LAUNCHDARKLY_KIND_INVALID    = 1200, /**< empty, "kind", or other characters than A-Z a-z 0-9 . _ - */
    HOIST_ERR_LAUNCHDARKLY_KEY_EMPTY       = 1201, /**< a key that is empty, or missing in what the service writes */
    HOIST_ERR_LAUNCHDARKLY_MULTI_EMPTY     = 1202, /**< a multi-kind context of nothing */
    HOIST_ERR_LAUNCHDARKLY_KINDS_DUPLICATE = 1203, /**< a multi-kind context with two of a kind */
    HOIST_ERR_LAUNCHDARKLY_MULTI_BUILDER_REQUIRED = 1204, /**< kind "multi" for a single context */
    HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED      = 1205  /**< without a name, or of a type it cannot have */
};

/**
 * The subject of an evaluation. Immutable, not tied to a client; any thread. It takes at most 1 MiB as JSON, with at
 * most 10,000 attributes, and names of at most 1024 bytes: HOIST_ERR_LIMIT beyond.
 */
typedef struct hoist_launchdarkly_context hoist_launchdarkly_context;

/**
 * Reads a context as the service writes it: {"kind":…,"key":…,…}, several in {"kind":"multi","user":{"key":…},…}, or a
 * user of old, without a kind, with custom attributes in "custom"; or in the form of every service, with "targetingKey". A
 * client generates a key that is left out. Borrowed for the call.
 *
 * @return Owned by the caller; free with hoist_launchdarkly_context_free(). NULL with `error` set otherwise:
 *         HOIST_ERR_PARSE for what is no JSON object, else a status from above.
 */
HOIST_API hoist_launchdarkly_context *HOIST_NULLABLE
hoist_launchdarkly_context_from_json(const char *HOIST_NULLABLE json, size_t length,
                                     hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** The context as flag services get it, members in the order of their names. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_launchdarkly_context_to_json(const hoist_launchdarkly_context *HOIST_NULLABLE context);

enum {
    HOIST_LAUNCHDARKLY_REDACT_ALL       = 1, /**< every attribute is private (`allContextAttributesPrivate`) */
    HOIST_LAUNCHDARKLY_REDACT_ANONYMOUS = 2  /**< those of anonymous contexts are, as in feature events */
};

/**
 * The context as events hold it: without private attributes, whose references stand in _meta.redactedAttributes.
 *
 * @param references What is private beside what the context names itself (`privateContextAttributes`). Borrowed for the
 *                   call. References that are not valid hide nothing.
 * @param options    HOIST_LAUNCHDARKLY_REDACT_…, or 0.
 * @return Owned by the caller; free with hoist_text_free(). NULL for a NULL context, or text that is not UTF-8.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_launchdarkly_context_redacted(const hoist_launchdarkly_context *HOIST_NULLABLE context,
                                    const char *HOIST_NULLABLE const *HOIST_NULLABLE references, size_t count,
                                    uint32_t options);

/**
 * What a LaunchDarkly client takes a hoist_context for.
 *
 * @return Owned by the caller; free with hoist_launchdarkly_context_free(). NULL with `error` set otherwise.
 */
HOIST_API hoist_launchdarkly_context *HOIST_NULLABLE
hoist_launchdarkly_context_from_hoist(const hoist_context *HOIST_NULLABLE context,
                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** The same as a context of the core, for hoist_client_identify(). Free with hoist_context_free(). NULL for NULL. */
HOIST_API hoist_context *HOIST_NULLABLE
hoist_launchdarkly_context_to_hoist(const hoist_launchdarkly_context *HOIST_NULLABLE context);

/** Whether there are several kinds in it. */
HOIST_API bool hoist_launchdarkly_context_is_multi(const hoist_launchdarkly_context *HOIST_NULLABLE context);
/** "multi" for several. Borrowed: valid until hoist_launchdarkly_context_free(). NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_launchdarkly_context_kind(const hoist_launchdarkly_context *HOIST_NULLABLE context);
/** "" for several kinds, and for a key that is still to be generated. Borrowed as the kind. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_launchdarkly_context_key(const hoist_launchdarkly_context *HOIST_NULLABLE context);
/** What identifies the context in events: "k" of user k, "org:k", "org:k1:user:k2". Borrowed as the kind. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_launchdarkly_context_fully_qualified_key(const hoist_launchdarkly_context *HOIST_NULLABLE context);
/** Keys by kind, as an object. Free with hoist_launchdarkly_value_free(). NULL for NULL. */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_context_keys(const hoist_launchdarkly_context *HOIST_NULLABLE context);
/** The context of one kind in it. Free with hoist_launchdarkly_context_free(). NULL when there is none. */
HOIST_API hoist_launchdarkly_context *HOIST_NULLABLE
hoist_launchdarkly_context_part(const hoist_launchdarkly_context *HOIST_NULLABLE context,
                                const char *HOIST_NULLABLE kind);
/**
 * The value that a reference leads to, built-in attributes too; of several kinds in one only "kind" can be read.
 *
 * @return Owned by the caller; free with hoist_launchdarkly_value_free(). NULL when there is none.
 */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_context_get(const hoist_launchdarkly_context *HOIST_NULLABLE context,
                               const char *HOIST_NULLABLE reference);
/** Whether two contexts are the same, private attributes included. False when either is NULL. */
HOIST_API bool hoist_launchdarkly_context_equals(const hoist_launchdarkly_context *HOIST_NULLABLE context,
                                                 const hoist_launchdarkly_context *HOIST_NULLABLE other);
/** Frees a context; NULL is harmless. */
HOIST_API void hoist_launchdarkly_context_free(hoist_launchdarkly_context *HOIST_NULLABLE context);

/* ---- Making a context of one kind ------------------------------------------------------------------------------ */

/** Collects what makes a context. Plain data: one thread at a time. It can go on after building. */
typedef struct hoist_launchdarkly_builder hoist_launchdarkly_builder;

/**
 * @param kind NULL or "": "user". Checked by hoist_launchdarkly_builder_build().
 * @param key  NULL: the context is anonymous, and the client that takes it gives it a key, which is made once for each
 *             kind and kept in the client's store.
 * @return Owned by the caller; free with hoist_launchdarkly_builder_free(). NULL for invalid UTF-8.
 */
HOIST_API hoist_launchdarkly_builder *HOIST_NULLABLE hoist_launchdarkly_builder_new(const char *HOIST_NULLABLE kind,
                                                                                    const char *HOIST_NULLABLE key);
/** HOIST_ERR_ARGUMENT for invalid UTF-8, here and below. NULL or "": "user". */
HOIST_API hoist_status hoist_launchdarkly_builder_set_kind(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                           const char *HOIST_NULLABLE kind);
/** NULL: generated, as for hoist_launchdarkly_builder_new(). */
HOIST_API hoist_status hoist_launchdarkly_builder_set_key(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                          const char *HOIST_NULLABLE key);
/** NULL removes the name. */
HOIST_API hoist_status hoist_launchdarkly_builder_set_name(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                           const char *HOIST_NULLABLE name);
HOIST_API hoist_status hoist_launchdarkly_builder_set_anonymous(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                                bool anonymous);
/**
 * Sets an attribute; null removes a custom one. "kind", "key" and "name" take strings, "anonymous" a boolean; "_meta"
 * cannot be set. HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED otherwise, with the old value still there.
 *
 * @param value Copied.
 */
HOIST_API hoist_status hoist_launchdarkly_builder_set(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                      const char *HOIST_NULLABLE name,
                                                      const hoist_launchdarkly_value *HOIST_NULLABLE value,
                                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** hoist_launchdarkly_builder_set() with a value as JSON text. HOIST_ERR_PARSE when it is none. */
HOIST_API hoist_status hoist_launchdarkly_builder_set_json(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                           const char *HOIST_NULLABLE name,
                                                           const char *HOIST_NULLABLE json, size_t length,
                                                           hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** hoist_launchdarkly_builder_set() with a string. */
HOIST_API hoist_status hoist_launchdarkly_builder_set_string(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                             const char *HOIST_NULLABLE name,
                                                             const char *HOIST_NULLABLE value);
/** hoist_launchdarkly_builder_set() with a boolean. */
HOIST_API hoist_status hoist_launchdarkly_builder_set_bool(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                           const char *HOIST_NULLABLE name, bool value);
/** hoist_launchdarkly_builder_set() with a number. HOIST_ERR_ARGUMENT for NaN and infinities. */
HOIST_API hoist_status hoist_launchdarkly_builder_set_number(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                             const char *HOIST_NULLABLE name, double value);
/** Removes an attribute, also "key", "name" and "anonymous". HOIST_ERR_NOT_FOUND when there is none of that name. */
HOIST_API hoist_status hoist_launchdarkly_builder_remove(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                         const char *HOIST_NULLABLE name);
/** Makes what a reference leads to private: events do not hold it. One that is not valid is kept, and hides nothing. */
HOIST_API hoist_status hoist_launchdarkly_builder_add_private(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                              const char *HOIST_NULLABLE reference);
/** Undoes it, however the reference is spelled. HOIST_ERR_NOT_FOUND when it was not private. */
HOIST_API hoist_status hoist_launchdarkly_builder_remove_private(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                                 const char *HOIST_NULLABLE reference);
/**
 * Makes the context.
 *
 * @param context Set to NULL, or to a context that the caller frees with hoist_launchdarkly_context_free().
 */
HOIST_API hoist_status hoist_launchdarkly_builder_build(const hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                        hoist_launchdarkly_context *HOIST_NULLABLE *HOIST_NULLABLE context,
                                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Frees a builder; NULL is harmless. */
HOIST_API void hoist_launchdarkly_builder_free(hoist_launchdarkly_builder *HOIST_NULLABLE builder);

/* ---- Making one of several kinds -------------------------------------------------------------------------------- */

/** Collects contexts of different kinds. Plain data: one thread at a time. */
typedef struct hoist_launchdarkly_multi hoist_launchdarkly_multi;

/** Owned by the caller; free with hoist_launchdarkly_multi_free(). */
HOIST_API hoist_launchdarkly_multi *HOIST_NONNULL hoist_launchdarkly_multi_new(void);
/** Adds a context, or all that are in it. HOIST_ERR_LIMIT beyond 1,000. */
HOIST_API hoist_status hoist_launchdarkly_multi_add(hoist_launchdarkly_multi *HOIST_NULLABLE multi,
                                                    const hoist_launchdarkly_context *HOIST_NULLABLE context);
/** As hoist_launchdarkly_builder_build(). Of one context alone the result is that one. */
HOIST_API hoist_status hoist_launchdarkly_multi_build(const hoist_launchdarkly_multi *HOIST_NULLABLE multi,
                                                      hoist_launchdarkly_context *HOIST_NULLABLE *HOIST_NULLABLE context,
                                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Frees a builder; NULL is harmless. */
HOIST_API void hoist_launchdarkly_multi_free(hoist_launchdarkly_multi *HOIST_NULLABLE multi);

/* ---- References to attributes ----------------------------------------------------------------------------------- */

/**
 * The names a reference leads through. "address" is the attribute itself; "/address/street" a member of it, where ~1
 * stands for a slash and ~0 for a tilde in a name. Two references are the same when these are.
 *
 * @return An array of strings. Free with hoist_launchdarkly_value_free(). NULL with `error` set for a reference that is
 *         not valid (HOIST_ERR_PARSE).
 */
HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_reference_names(const char *HOIST_NULLABLE reference,
                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * The reference to an attribute of this very name: the name, or for "/a" its spelling "/~1a".
 * Free with hoist_text_free(). NULL for NULL, invalid UTF-8 and an empty name.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_launchdarkly_reference_literal(const char *HOIST_NULLABLE name);

#ifdef __cplusplus
}
#endif
#endif

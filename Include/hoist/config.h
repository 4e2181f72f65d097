/**
 * @file
 * Configuration: a service's name and properties, each "name" = "value".
 *
 * Every property has a type, a default, a range and a meaning; hoist_config_describe() lists them.
 * Unknown names, wrong types and values out of range are refused at once.
 */
#ifndef HOIST_CONFIG_H
#define HOIST_CONFIG_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a client is opened from. Plain data: one thread at a time; after hoist_client_open() it may be
 * changed, reused for another client or freed without touching the client.
 */
typedef struct hoist_config hoist_config;

/**
 * @param provider "unleash", …, or a provider of the host's (provider.h). Borrowed for the call. An unknown name is
 *                 reported by the calls that take an error. NULL or invalid UTF-8 gives NULL.
 * @return Owned by the caller; free with hoist_config_free().
 */
HOIST_API hoist_config *HOIST_NULLABLE hoist_config_new(const char *HOIST_NULLABLE provider);

/** A copy with the same properties and plug-ins; free with hoist_config_free(). NULL for NULL. */
HOIST_API hoist_config *HOIST_NULLABLE hoist_config_copy(const hoist_config *HOIST_NULLABLE config);

/** Frees a configuration; NULL is harmless. Clients opened from it are not touched. */
HOIST_API void hoist_config_free(hoist_config *HOIST_NULLABLE config);

/**
 * Sets one property from text. Numbers are decimal, booleans "true" or "false", lists and objects JSON.
 *
 * @param name  NUL-terminated UTF-8, borrowed for the call.
 * @param value As `name`.
 * @param error NULL, or receives an error to free with hoist_error_free(); set to NULL on success.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_CONFIG with the name of the property in the message.
 */
HOIST_API hoist_status hoist_config_set(hoist_config *HOIST_NULLABLE config, const char *HOIST_NULLABLE name,
                                        const char *HOIST_NULLABLE value,
                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * Gives a property its default again.
 *
 * @return HOIST_OK, also when it was not set; HOIST_ERR_ARGUMENT; HOIST_ERR_CONFIG for a name that does not exist.
 */
HOIST_API hoist_status hoist_config_unset(hoist_config *HOIST_NULLABLE config, const char *HOIST_NULLABLE name,
                                          hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * Sets all properties named in a JSON object, or none of them when one is refused.
 *
 * @param json Borrowed for the call; `length` bytes, no NUL needed.
 */
HOIST_API hoist_status hoist_config_set_json(hoist_config *HOIST_NULLABLE config, const char *HOIST_NULLABLE json,
                                             size_t length, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * hoist_config_set_json() with the content of a file (at most 1 MiB). HOIST_ERR_IO when it cannot be read. Links are
 * followed. A client's log warns of a file that belongs to another user but root, or that everybody may write; one that
 * names plug-ins (property plugins) is refused then, with HOIST_ERR_CONFIG.
 */
HOIST_API hoist_status hoist_config_load_file(hoist_config *HOIST_NULLABLE config, const char *HOIST_NULLABLE path,
                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * The value a property has now, its default included. "***" stands for a secret that is set, for user and password in
 * an address, and for the values of headers.
 *
 * @return Owned by the caller; free with hoist_text_free(). NULL for a name that does not exist.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_config_get(const hoist_config *HOIST_NULLABLE config,
                                                      const char *HOIST_NULLABLE name);

/**
 * Whether the store that a client of this configuration would keep things in works: opens it, writes a value and removes
 * that again. The folder is made where it is missing, and a damaged file is set aside, as at a client's start. Waits for the
 * disk, and up to a second for other processes. HOIST_OK, too, where nothing is kept, or a cache manager of the host's keeps it.
 *
 * @param error NULL, or receives an error to free with hoist_error_free(): which file or folder, and why.
 * @return HOIST_OK; HOIST_ERR_IO: a client would keep nothing for the next run; HOIST_ERR_CONFIG; HOIST_ERR_ARGUMENT.
 */
HOIST_API hoist_status hoist_config_check_store(const hoist_config *HOIST_NULLABLE config,
                                                hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * What hoist_config_new() can be given: the services of this library and the providers that are registered now, as a JSON
 * array of texts.
 *
 * @return Owned by the caller; free with hoist_text_free().
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_provider_list(void);

/**
 * The table of properties of a provider as a JSON array of objects with the members
 * name, type, default, range, meaning, secret.
 *
 * @return Owned by the caller; free with hoist_text_free(). NULL for an unknown provider.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_config_describe(const char *HOIST_NULLABLE provider);

#ifdef __cplusplus
}
#endif
#endif

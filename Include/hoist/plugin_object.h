/**
 * @file
 * Plug-ins from a shared object that is loaded while the program runs.
 *
 * The object exports one function, hoist_plugin_entry(), which tells what it offers: for each kind of plug-in
 * (plugin.h, provider.h, and the services' headers) a function that makes its table from a text of options.
 *
 *     static hoist_status create_logger(const char *options, hoist_logger *logger, char *message, size_t message_size);
 *
 *     static const hoist_plugin plugin = {
 *         .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "journal",
 *         .create_logger = create_logger};
 *
 *     HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) { return &plugin; }
 *
 * It is built with `cc -shared -fPIC … -lhoist`, because tables call Hoist back; host and plug-in have to find the
 * same libhoist. Examples/plugins has one of every kind.
 *
 * Rules for every create function
 * - It runs inside hoist_config_load_plugin(), on the caller's thread, once per call, in the order of the members;
 *   for two configurations perhaps on two threads at once.
 * - `options` is what the host gave, "" for none; its form is the plug-in's own. Valid only during the call.
 * - The table is Hoist's memory: all zero but struct_size, which is the size that this Hoist knows. A plug-in of
 *   a newer header may fill in its own, larger table: there is room, and what is newer is ignored.
 * - HOIST_OK: the table is taken as by hoist_config_set_logger() and its like; `user_data` belongs to Hoist, and
 *   `release` runs exactly once. HOIST_ERR_UNSUPPORTED: the options ask for nothing of this kind, which is left out;
 *   loading fails where nothing is left. Anything else: nothing is taken, and loading fails.
 * - `message` takes why it failed: one line for people, without secrets, with its NUL at most `message_size` bytes.
 */
#ifndef HOIST_PLUGIN_OBJECT_H
#define HOIST_PLUGIN_OBJECT_H

#include "provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the border between Hoist and a shared object. Grows only when old objects can no longer be loaded. */
#define HOIST_PLUGIN_ABI 1

/**
 * What a shared object offers, as its hoist_plugin_entry() returns it: lives as long as the process, never changes.
 *
 * A NULL member offers nothing of its kind. Members are only ever appended, and the first two never change.
 */
typedef struct hoist_plugin {
    size_t struct_size;                 /**< sizeof(hoist_plugin) */
    uint32_t abi_version;               /**< HOIST_PLUGIN_ABI */
    const char *HOIST_NULLABLE name;    /**< for people; required */
    const char *HOIST_NULLABLE version; /**< of the plug-in, for people */

    hoist_status (*HOIST_NULLABLE create_logger)(const char *HOIST_NONNULL options, hoist_logger *HOIST_NONNULL logger,
                                                 char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_cache)(const char *HOIST_NONNULL options, hoist_cache *HOIST_NONNULL cache,
                                                char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_header_provider)(const char *HOIST_NONNULL options,
                                                          hoist_header_provider *HOIST_NONNULL provider,
                                                          char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_transport)(const char *HOIST_NONNULL options,
                                                    hoist_transport *HOIST_NONNULL transport,
                                                    char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_dispatcher)(const char *HOIST_NONNULL options,
                                                     hoist_dispatcher *HOIST_NONNULL dispatcher,
                                                     char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_hook)(const char *HOIST_NONNULL options, hoist_hook *HOIST_NONNULL hook,
                                               char *HOIST_NONNULL message, size_t message_size);

    /** Kinds that only one service knows; see its header. Left out for a configuration of another service. */
    const struct hoist_unleash_plugin *HOIST_NULLABLE unleash;
    const struct hoist_optimizely_plugin *HOIST_NULLABLE optimizely;
    const struct hoist_launchdarkly_plugin *HOIST_NULLABLE launchdarkly;

    /**
     * A provider, for configurations that were made with this name before anything knew it; left out for others. Its
     * table's `name` is this one, or NULL. It belongs to the configuration and to what is opened and copied from it.
     */
    const char *HOIST_NULLABLE provider_name;
    hoist_status (*HOIST_NULLABLE create_provider)(const char *HOIST_NONNULL options,
                                                   hoist_provider *HOIST_NONNULL provider, char *HOIST_NONNULL message,
                                                   size_t message_size);
} hoist_plugin;

#define HOIST_PLUGIN_INIT \
    { sizeof(hoist_plugin), HOIST_PLUGIN_ABI, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

#ifndef HOIST_PLUGIN_EXPORT /* define it empty for an FFI parser: the function is no library's */
#  ifdef __cplusplus
#    define HOIST_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#  else
#    define HOIST_PLUGIN_EXPORT __attribute__((visibility("default")))
#  endif
/**
 * Defined by each shared object, not by Hoist. Called for every load, perhaps on several threads at once.
 *
 * @param library_abi HOIST_PLUGIN_ABI of the library that asks.
 * @return NULL refuses to serve it.
 */
HOIST_PLUGIN_EXPORT const hoist_plugin *HOIST_NULLABLE hoist_plugin_entry(uint32_t library_abi);
#endif

/**
 * Loads a shared object and registers all kinds of plug-in that it offers, or none of them when one is refused.
 *
 * The object stays in the process until that ends, since its code may be running, or owed a `release`, at any
 * time; only one without the entry is let go. Its symbols are not offered to other objects. Loaded again, for this
 * or another configuration, it makes new tables.
 *
 * @param path    A file. A relative path starts at the current folder; the folders of the dynamic linker are not
 *                searched. Its code gets every right of the process: name no file that others may write.
 * @param options Handed to the create functions; NULL for "".
 * @param error   NULL, or receives an error to free with hoist_error_free(), with the path in its message.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_CONFIG for an unknown provider; HOIST_ERR_IO when the file cannot
 *         be loaded; HOIST_ERR_PLUGIN when it has no entry, another ABI version, a wrong struct_size, or fails;
 *         HOIST_ERR_STATE when a kind of which there is one, or a strategy's name, is registered already;
 *         HOIST_ERR_LIMIT for a 17th hook; HOIST_ERR_UNSUPPORTED when it offers nothing for this provider, or by these
 *         options;
 *         as hoist_provider_register() for a provider.
 */
HOIST_API hoist_status hoist_config_load_plugin(hoist_config *HOIST_NULLABLE config, const char *HOIST_NULLABLE path,
                                                const char *HOIST_NULLABLE options,
                                                hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * Loads a shared object and tells what it offers, as a JSON object with the members name, version (or null),
 * abi_version, kinds (e.g. ["logger", "unleash_strategy"]), unleash_strategies (their names), and provider (its
 * name) where it offers one. Nothing is made.
 *
 * @param path  As for hoist_config_load_plugin().
 * @param error As for hoist_config_load_plugin().
 * @return Owned by the caller; free with hoist_text_free(). NULL on failure.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_plugin_describe(const char *HOIST_NULLABLE path,
                                                           hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif

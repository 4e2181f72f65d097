/**
 * @file
 * Optimizely's datafiles: starting with one, keeping one, asking for another.
 */
#ifndef HOIST_OPTIMIZELY_START_H
#define HOIST_OPTIMIZELY_START_H

#include "../client.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_OPTIMIZELY_SDK_NOT_READY            = 1100, /**< no datafile yet, or closed */
    HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID         = 1101, /**< not a datafile; the message says what is wrong */
    HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID = 1102, /**< a datafile of another version than "4" */
    HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED = 1103, /**< no answer, and nothing to start with */
    HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED  = 1104, /**< an answer that is no datafile, and nothing to start with */
    HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED = 1105 /**< 401, 403, 404: the SDK key or token is wrong; the message names URL
                                                      and the end of the key */
};

/** What events are sent with as client_name and client_version unless the properties say otherwise, "hoist 0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_optimizely_version(void);

/*
 * hoist_client_open() starts the client by itself, unless property `autostart` is false.
 *
 * With property `datafile` or `datafile.file` that is a start with a datafile: it is served when hoist_client_open()
 * returns. HOIST_TOPIC_INITIALIZED is told when the store has been read (at once without a store): what earlier runs have
 * kept of users holds from then on, and a datafile that one of them has saved for this SDK key takes the place of the
 * given one, whichever is newer. Decisions before that go by the given datafile alone, and are remembered where nothing is
 * kept: a host that wants all users to stay where they are waits for that topic. A newer datafile is then asked for in the
 * background (property `background_fetch`). It is kept for the next start, and served now only with
 * `update_on_new_datafile` or `polling_interval`: where a change of the project does not arrive, one of these two is
 * missing.
 *
 * Otherwise it is a start from the service: the datafile is downloaded first; without an answer the saved one is served.
 *
 * "Newer" is another revision, as texts: revisions are names, not numbers. When the service goes back to an earlier
 * revision, the client follows it. A download of the present revision changes nothing.
 */

/** How a start with a datafile goes on; bits. */
enum {
    HOIST_OPTIMIZELY_UPDATE_ON_NEW_DATAFILE = 1, /**< what is downloaded is served at once */
    HOIST_OPTIMIZELY_NO_BACKGROUND_FETCH    = 2  /**< nothing is downloaded but by polling */
};

/**
 * Starts with a datafile, for clients opened with `autostart` = "false", or anew. Waits for the store, never for the
 * network. A saved datafile wins over the given one; a saved one that is broken is deleted and the given one is served.
 * When the start fails, what is served already stays, and the service is asked all the same, unless `flags` forbid it.
 *
 * @param datafile JSON text, borrowed for the call. NULL with length 0: the saved one, or what is served already.
 * @param flags    Bits of the enum above.
 * @return HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID, HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID,
 *         HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED (nothing given, nothing saved), HOIST_ERR_STATE (closed, or on a
 *         thread of Hoist's own), HOIST_ERR_ARGUMENT, HOIST_ERR_UNSUPPORTED (a client of another service).
 */
HOIST_API hoist_status hoist_optimizely_start_with_datafile(hoist_client *HOIST_NULLABLE client,
                                                            const char *HOIST_NULLABLE datafile, size_t length,
                                                            uint32_t flags,
                                                            hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** The same from a file. HOIST_ERR_IO when it cannot be read. */
HOIST_API hoist_status hoist_optimizely_start_with_file(hoist_client *HOIST_NULLABLE client,
                                                        const char *HOIST_NULLABLE path, uint32_t flags,
                                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * Starts from the service, or anew, which refreshes what is served.
 *
 * The end is success with any datafile: the downloaded one, the saved one (not modified, no answer, a failure, or the
 * time is over), or the one of the properties. The failure is then told to observers of HOIST_TOPIC_FETCH_FAILED, and the
 * client is HOIST_CLIENT_STALE.
 *
 * @param timeout_ms Longest wait for the download; negative: until it has ended. Attempts go on afterwards.
 * @param done       NULL, or called once if this returns HOIST_OK: with HOIST_OK; else with
 *                   HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED, HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED,
 *                   HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED, HOIST_ERR_TIMEOUT, HOIST_ERR_SUPERSEDED (by another
 *                   start) or HOIST_ERR_CANCELLED (by a close).
 */
HOIST_API hoist_status hoist_optimizely_start(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms,
                                              hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/** hoist_optimizely_start() that waits, and returns what `done` would be told. */
HOIST_API hoist_status hoist_optimizely_start_wait(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** The datafile that is served, as it was sent. Free with hoist_text_free(). "" before there is one and after close; NULL for
 *  NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_datafile(const hoist_client *HOIST_NULLABLE client);
/** Its revision. Free with hoist_text_free(). "" before there is a datafile and after close; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_revision(const hoist_client *HOIST_NULLABLE client);
/** Where it came from: "given", "saved" or "network"; "" before there is one and after close; NULL for NULL. Static. */
HOIST_API const char *HOIST_NULLABLE hoist_optimizely_datafile_origin(const hoist_client *HOIST_NULLABLE client);
/** OptimizelyConfig: what the project has, as a JSON object. Free with hoist_text_free(). "null" before there is a datafile and
 *  after close; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_config_to_json(const hoist_client *HOIST_NULLABLE client);

/**
 * Downloads the datafile once, checks it, and keeps it for the next start; for hosts that refresh in the background. It is
 * served now only as the start says (see above); hoist_client_refresh() serves it in any case.
 *
 * @param done NULL, or called once if this returns HOIST_OK: with HOIST_OK also when the service has nothing newer than
 *             what is saved; else as for hoist_optimizely_start(). What is saved and served stays then.
 */
HOIST_API hoist_status hoist_optimizely_download_datafile(hoist_client *HOIST_NULLABLE client,
                                                          hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/** Whether a datafile is saved for this SDK key, where the next run finds it: false while the store cannot be written. With
 *  `store` "memory" it is there for the next start of this client, and gone with it; with "none" it never is. Waits for the
 *  store; false on a thread of Hoist's own. */
HOIST_API bool hoist_optimizely_has_saved_datafile(hoist_client *HOIST_NULLABLE client);
/** The saved datafile. Waits for the store. Free with hoist_text_free(). "" when there is none, and on threads that must not
 *  wait; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_saved_datafile(hoist_client *HOIST_NULLABLE client);
/**
 * Saves a datafile for the next start; borrowed for the call. What is no datafile is refused with
 * HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID or HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID; without an SDK key nothing is
 * kept, HOIST_ERR_UNSUPPORTED.
 */
HOIST_API hoist_status hoist_optimizely_save_datafile(hoist_client *HOIST_NULLABLE client,
                                                      const char *HOIST_NULLABLE datafile, size_t length,
                                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Deletes the saved datafile; the next download is unconditional. */
HOIST_API hoist_status hoist_optimizely_remove_saved_datafile(hoist_client *HOIST_NULLABLE client);
/**
 * Whether the host's program is in the foreground; true at first. While false, polling and the delivery of events rest;
 * events that wait are sent before. A poll that became due meanwhile begins when true again.
 */
HOIST_API hoist_status hoist_optimizely_set_active(hoist_client *HOIST_NULLABLE client, bool active);

#ifdef __cplusplus
}
#endif
#endif

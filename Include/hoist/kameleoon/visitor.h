/**
 * @file
 * Visitors of a Kameleoon site: their data, consent, forced variations.
 */
#ifndef HOIST_KAMELEOON_VISITOR_H
#define HOIST_KAMELEOON_VISITOR_H

#include "../client.h"
#include "data.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A visitor: what the vendor calls a client, for one visitor code. Thread-safe. It holds its client weakly and may outlive it;
 * then, and after the client has closed, it changes no more.
 *
 * All handles on one code are one visitor. What is known of it is kept in the client's store, within a tenth of a second of a
 * change (with `events.durability` "immediate", what a call has told is there when it returns), and is there again in the next run: data with their ages (property `data_expiration_interval_minute`), consent, who it
 * is linked with, its variations and visits. Scores of the service, and variations that are forced or simulated, are not.
 *
 * Of one visitor 1000 indexes of custom data, 1000 URLs of pages, 10000 conversions and 10000 variations are kept; beyond
 * that, custom data is refused, and of the others the oldest go. What was recorded to be sent is not affected.
 */
typedef struct hoist_kameleoon_visitor hoist_kameleoon_visitor;

/**
 * The visitor of a code. What an earlier run has left of it is there when this returns, unless the store takes longer than
 * half a second; on a thread of Hoist's it comes later. Possible at any time, also before there is a configuration.
 *
 * @param code    1 to 255 characters; the service documents 100 at most, and more are logged. NULL: the client's own
 *                visitor, whose code is property `visitor_code`, or one that is generated, and kept for all later runs.
 * @param visitor Receives the visitor: owned by the caller; free with hoist_kameleoon_visitor_free(). NULL on failure.
 * @param error   NULL, or receives why it failed; free with hoist_error_free().
 * @return HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID; HOIST_ERR_ARGUMENT for NULL and invalid UTF-8; HOIST_ERR_STATE after close;
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_new(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE code,
                                                   hoist_kameleoon_visitor *HOIST_NULLABLE *HOIST_NULLABLE visitor,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Lets go of a visitor; NULL is harmless. What it has recorded is sent all the same. */
HOIST_API void hoist_kameleoon_visitor_free(hoist_kameleoon_visitor *HOIST_NULLABLE visitor);
/** Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_kameleoon_visitor_code(const hoist_kameleoon_visitor *HOIST_NULLABLE visitor);

/* ---- Data ------------------------------------------------------------------------------------------------ */

/**
 * Tells something of the visitor, for targeting and, unless `track` is false, to be sent with the next tracking request. Sends
 * nothing by itself.
 *
 * Of every kind there is one, and of custom data one of each index: a later one takes the place of an earlier one. Views of a
 * page are counted by URL, conversions are all kept. Of pages told one after the other the last is the current one; of several
 * in one call, which are of one moment, the first, as the vendor's SDK has it. Custom data that the site calls local is never sent. Custom data that the
 * site calls the mapping identifier makes the visitor and the one whose code is its first value one and the same: they share
 * all data, and get the same variations; it is sent even where `track` is false.
 *
 * Before the first configuration data is put aside, 1000 at most, and counts from then on.
 * @param data  `count` data, each copied; may be NULL when `count` is 0.
 * @param track false: for targeting alone, never sent.
 * @return HOIST_OK when it is known, and what is to be sent is recorded; with `events.durability` "immediate" both are in the
 *         store. HOIST_ERR_UNSAVED when they should be and are not: the store fails, or half a second is over; all of it is
 *         known and recorded, in memory, and stored as soon as the store works. HOIST_ERR_LIMIT when there is no room for what
 *         is to be sent (`events.capacity`): it is dropped and counted, and known for targeting all the same. HOIST_ERR_ARGUMENT
 *         for NULL, and NULL among the data; then nothing is added. HOIST_ERR_STATE when the client is closed or gone. Data
 *         that cannot be used is left out, and logged.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_add_data(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
    const hoist_kameleoon_data *HOIST_NULLABLE const *HOIST_NULLABLE data, size_t count, bool track);

/* ---- Consent --------------------------------------------------------------------------------------------- */

typedef int32_t hoist_kameleoon_consent;
enum {
    HOIST_KAMELEOON_CONSENT_UNKNOWN = 0, /**< never set */
    HOIST_KAMELEOON_CONSENT_GIVEN   = 1,
    HOIST_KAMELEOON_CONSENT_REFUSED = 2
};
/**
 * The visitor's consent; stored for later runs. It counts where the site requires consent: then, until it is given,
 * only conversions and variations of deliveries are sent, the rest waits; once it is refused, experiments give the
 * default variation, or nothing at all, as the site says. With `events.durability` "immediate" it is in the store when
 * this returns HOIST_OK; else within 0.1 s. Other clients and processes that use the store look there before they send, and a
 * refusal outweighs an answer given to them without knowledge of it. Of visitors that become one and the same, see
 * hoist_kameleoon_visitor_add_data(), a refusal of one holds for all, until one of them agrees after that.
 * @return HOIST_OK; HOIST_ERR_UNSAVED when it holds here and is to be in the store, and is not: the store fails, or half a
 *         second is over; it is stored as soon as the store works. HOIST_ERR_ARGUMENT for NULL, HOIST_ERR_STATE when the client
 *         is closed or gone.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_set_legal_consent(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                 bool is_given);
/** HOIST_KAMELEOON_CONSENT_UNKNOWN for NULL. */
HOIST_API hoist_kameleoon_consent
hoist_kameleoon_visitor_legal_consent(const hoist_kameleoon_visitor *HOIST_NULLABLE visitor);

/* ---- Forced variations ----------------------------------------------------------------------------------- */

/**
 * Gives the visitor a variation of an experiment, without its exposition and consent being asked, as long as the process lives.
 * An earlier rule of the flag that holds still goes first, and a flag that is disabled in the environment stays so.
 *
 * @param experiment_id    The experiment of a rule.
 * @param variation_key    A variation of that rule; NULL ends what was forced for the experiment.
 * @param forces_targeting Whether it holds also where the rule's segment does not match.
 * @return HOIST_ERR_KAMELEOON_SDK_NOT_READY, HOIST_ERR_KAMELEOON_FEATURE_EXPERIMENT_NOT_FOUND,
 *         HOIST_ERR_KAMELEOON_FEATURE_VARIATION_NOT_FOUND; HOIST_ERR_ARGUMENT for NULL and invalid UTF-8; HOIST_ERR_STATE when
 *         the client is closed or gone.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_set_forced_variation(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                    int64_t experiment_id,
                                                                    const char *HOIST_NULLABLE variation_key,
                                                                    bool forces_targeting);
/**
 * Takes over what a tester has chosen in the site's web pages: results that are simulated so are neither kept nor sent, and do
 * not ask whether the flag is enabled. As long as the process lives.
 * @param cookie_value Of cookie `kameleoonSimulationFFData`: `{"flag":{"expId":1,"varId":2}}`, percent-encoded or not. NULL or
 *                     "" ends it.
 * @return HOIST_ERR_PARSE for what is no JSON object, HOIST_ERR_ARGUMENT for NULL and invalid UTF-8, HOIST_ERR_STATE when the
 *         client is closed or gone.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_set_simulated_variations(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                        const char *HOIST_NULLABLE cookie_value);

/* ---- Visitor codes --------------------------------------------------------------------------------------- */

/**
 * The visitor code that a web page has left in cookie `kameleoonVisitorCode`.
 * @param cookies A header `Cookie`, or a part of one.
 * @return Free with hoist_text_free(). "" where there is none that is valid; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_kameleoon_visitor_code_in_cookies(const char *HOIST_NULLABLE cookies);
/** A new visitor code: 16 random characters of 0-9 and a-z. Free with hoist_text_free(). */
HOIST_API hoist_text *HOIST_NONNULL hoist_kameleoon_visitor_code_generate(void);

#ifdef __cplusplus
}
#endif
#endif

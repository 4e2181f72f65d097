/**
 * @file
 * AB Tasty Flagship: what a host collects for the emotion score.
 */
#ifndef HOIST_FLAGSHIP_SEGMENTS_H
#define HOIST_FLAGSHIP_SEGMENTS_H

#include "../client.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sends an event of a visitor's session to the service that makes emotion scores of them, once; one that does not arrive is
 * not kept. Needs property `emotion_score` = "true", and an account that collects. The score itself comes into the
 * contexts of visitors by fetching.
 *
 * @param event     A JSON object in that service's form. Borrowed for the call.
 * @param done      NULL, or called once if the result is HOIST_OK: with HOIST_OK when the service has taken the event,
 *                  HOIST_ERR_NETWORK, HOIST_ERR_UNSUPPORTED when the account does not collect, HOIST_ERR_CANCELLED on close. On
 *                  the client's delivery lane, or in manual dispatch, or inside hoist_client_close().
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_PARSE when `event` is no JSON object, HOIST_ERR_STATE after close,
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_flagship_collect_emotion(hoist_client *HOIST_NULLABLE client,
                                                      const char *HOIST_NULLABLE event, size_t length,
                                                      hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

#ifdef __cplusplus
}
#endif
#endif

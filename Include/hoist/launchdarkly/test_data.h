/**
 * @file
 * LaunchDarkly, mode server: flags and segments that a program sets for its own tests, in the place of a service.
 *
 *     hoist_launchdarkly_test_data *data = hoist_launchdarkly_test_data_new();
 *     hoist_launchdarkly_test_data_set_flag(data, "{\"key\":\"banner\",\"on\":true,\"variations\":[true,false],"
 *                                                 "\"fallthrough\":{\"variation\":0},\"offVariation\":1}", …);
 *     hoist_launchdarkly_config_set_test_data(config, data);
 *
 * Clients opened from that configuration are READY without an SDK key and without a network; events go their way.
 */
#ifndef HOIST_LAUNCHDARKLY_TEST_DATA_H
#define HOIST_LAUNCHDARKLY_TEST_DATA_H

#include "../base.h"
#include "../config.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Flags and segments, for as many clients as are opened with them. Any thread. */
typedef struct hoist_launchdarkly_test_data hoist_launchdarkly_test_data;

/** Without flags. Owned by the caller; free with hoist_launchdarkly_test_data_free(). */
HOIST_API hoist_launchdarkly_test_data *HOIST_NONNULL hoist_launchdarkly_test_data_new(void);

/** Configurations and clients keep what they need of it. NULL does nothing. */
HOIST_API void hoist_launchdarkly_test_data_free(hoist_launchdarkly_test_data *HOIST_NULLABLE data);

/**
 * Sets a flag, new or in the place of one of the same key: its JSON, as the service sends it. Its version is one more than
 * before, whatever the JSON says, and need not be written. When this returns, the clients that are open decide by it;
 * observers are told as of a change by the service.
 *
 * @param length Bytes of `json`.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_PARSE for what is no flag, with `error` set: nothing has changed then.
 */
HOIST_API hoist_status hoist_launchdarkly_test_data_set_flag(hoist_launchdarkly_test_data *HOIST_NULLABLE data,
                                                             const char *HOIST_NULLABLE json, size_t length,
                                                             hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** The same for a segment. */
HOIST_API hoist_status hoist_launchdarkly_test_data_set_segment(hoist_launchdarkly_test_data *HOIST_NULLABLE data,
                                                                const char *HOIST_NULLABLE json, size_t length,
                                                                hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * Clients opened from this configuration are of mode server and decide by the data, in the place of a service's rules, of
 * stored ones and of `bootstrap`.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_UNSUPPORTED for a configuration of another service.
 */
HOIST_API hoist_status
hoist_launchdarkly_config_set_test_data(hoist_config *HOIST_NULLABLE config,
                                        const hoist_launchdarkly_test_data *HOIST_NULLABLE data);

#ifdef __cplusplus
}
#endif
#endif

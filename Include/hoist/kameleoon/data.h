/**
 * @file
 * The data of a Kameleoon visitor.
 */
#ifndef HOIST_KAMELEOON_DATA_H
#define HOIST_KAMELEOON_DATA_H

#include "../base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A datum of a visitor, of one of the kinds below. Made by the function that is called as its kind, added to any number
 * of visitors by hoist_kameleoon_visitor_add_data(), which copies it. Thread-safe.
 *
 * Texts are UTF-8, ended by NUL, and copied. Each function that makes one gives an object owned by the caller; free with
 * hoist_kameleoon_data_free(). NULL for NULL where a text is needed, for invalid UTF-8, for a number that is not finite, for a
 * number that names nothing, and for lists of more than 1000.
 */
typedef struct hoist_kameleoon_data hoist_kameleoon_data;

/** What a datum is. */
typedef int32_t hoist_kameleoon_data_kind;
enum {
    HOIST_KAMELEOON_CUSTOM_DATA         = 0,
    HOIST_KAMELEOON_CONVERSION          = 1,
    HOIST_KAMELEOON_DEVICE              = 2,
    HOIST_KAMELEOON_GEOLOCATION         = 3,
    HOIST_KAMELEOON_BROWSER             = 4,
    HOIST_KAMELEOON_OPERATING_SYSTEM    = 5,
    HOIST_KAMELEOON_PAGE_VIEW           = 6,
    HOIST_KAMELEOON_USER_AGENT          = 7,
    HOIST_KAMELEOON_COOKIE              = 8,
    HOIST_KAMELEOON_APPLICATION_VERSION = 9,
    HOIST_KAMELEOON_UNIQUE_IDENTIFIER   = 10
};

/* ---- Custom data ----------------------------------------------------------------------------------------- */

/**
 * Values of the custom data at an index of the site's configuration, which begin at 0.
 * @param values `count` texts; may be NULL when `count` is 0, which is a datum with no values.
 * @return NULL also for a negative index.
 */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_custom_data(
    int64_t index, const char *HOIST_NULLABLE const *HOIST_NULLABLE values, size_t count);
/** The same by its name in the configuration. A name that the configuration does not have drops the datum when it is added. */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_custom_data_named(
    const char *HOIST_NULLABLE name, const char *HOIST_NULLABLE const *HOIST_NULLABLE values, size_t count);
/**
 * Whether the service forgets what it had at the index; true when nothing is said.
 * @return HOIST_ERR_ARGUMENT for NULL and for what is no custom data.
 */
HOIST_API hoist_status hoist_kameleoon_custom_data_set_overwrite(hoist_kameleoon_data *HOIST_NULLABLE data, bool overwrite);

/* ---- Conversions ----------------------------------------------------------------------------------------- */

/** A goal was reached. `is_negative` takes one back. */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_conversion(int64_t goal_id, double revenue, bool is_negative);
/**
 * Says more of a conversion; of several with one index the first counts.
 * @param custom_data Copied.
 * @return HOIST_ERR_ARGUMENT when the one is no conversion or the other no custom data; HOIST_ERR_LIMIT beyond 100.
 */
HOIST_API hoist_status hoist_kameleoon_conversion_add_metadata(hoist_kameleoon_data *HOIST_NULLABLE conversion,
                                                               const hoist_kameleoon_data *HOIST_NULLABLE custom_data);

/* ---- The rest -------------------------------------------------------------------------------------------- */

typedef int32_t hoist_kameleoon_device_type;
enum {
    HOIST_KAMELEOON_DEVICE_PHONE   = 0,
    HOIST_KAMELEOON_DEVICE_TABLET  = 1,
    HOIST_KAMELEOON_DEVICE_DESKTOP = 2
};
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_device(hoist_kameleoon_device_type type);

/**
 * Where the visitor is.
 * @param country   The others may be NULL.
 * @param latitude  Decimal degrees; NULL for none, as `longitude`.
 */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_geolocation(
    const char *HOIST_NULLABLE country, const char *HOIST_NULLABLE region, const char *HOIST_NULLABLE city,
    const char *HOIST_NULLABLE postal_code, const double *HOIST_NULLABLE latitude, const double *HOIST_NULLABLE longitude);

typedef int32_t hoist_kameleoon_browser_type;
enum {
    HOIST_KAMELEOON_BROWSER_CHROME            = 0,
    HOIST_KAMELEOON_BROWSER_INTERNET_EXPLORER = 1,
    HOIST_KAMELEOON_BROWSER_FIREFOX           = 2,
    HOIST_KAMELEOON_BROWSER_SAFARI            = 3,
    HOIST_KAMELEOON_BROWSER_OPERA             = 4,
    HOIST_KAMELEOON_BROWSER_OTHER             = 5
};
/** @param version 0 for none; 17.4 for "17.4". */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_browser(hoist_kameleoon_browser_type type, double version);

typedef int32_t hoist_kameleoon_system_type;
enum {
    HOIST_KAMELEOON_SYSTEM_WINDOWS       = 0,
    HOIST_KAMELEOON_SYSTEM_MAC           = 1,
    HOIST_KAMELEOON_SYSTEM_IOS           = 2,
    HOIST_KAMELEOON_SYSTEM_LINUX         = 3,
    HOIST_KAMELEOON_SYSTEM_ANDROID       = 4,
    HOIST_KAMELEOON_SYSTEM_WINDOWS_PHONE = 5
};
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_operating_system(hoist_kameleoon_system_type type);

/**
 * A page was seen. Without a URL ("") it is dropped when it is added.
 * @param title     NULL for none, which no condition on titles holds for; "" is a title.
 * @param referrers `count` indexes of where the visitor came from; may be NULL when `count` is 0.
 */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_page_view(const char *HOIST_NULLABLE url,
                                                                         const char *HOIST_NULLABLE title,
                                                                         const int64_t *HOIST_NULLABLE referrers,
                                                                         size_t count);
/** Goes with the visitor's lines in tracking requests. */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_user_agent(const char *HOIST_NULLABLE value);
/** The visitor's cookies, in place of the former ones; begins with one. For targeting alone: never sent. */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_cookie(const char *HOIST_NULLABLE name,
                                                                      const char *HOIST_NULLABLE value);
/** A further cookie. HOIST_ERR_ARGUMENT for NULL, invalid UTF-8 and what is no cookies; HOIST_ERR_LIMIT beyond 1000. */
HOIST_API hoist_status hoist_kameleoon_cookie_add(hoist_kameleoon_data *HOIST_NULLABLE cookies,
                                                  const char *HOIST_NULLABLE name, const char *HOIST_NULLABLE value);
/** The version of the host's application, "1.2.3". For targeting alone: never sent. */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_application_version(const char *HOIST_NULLABLE version);
/** Whether the visitor's code is a unique identifier, which links it across devices. In place of property
 *  `is_unique_identifier` for this visitor. */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_unique_identifier(bool is_unique);

/* ---- Reading --------------------------------------------------------------------------------------------- */

/** -1 for NULL. */
HOIST_API hoist_kameleoon_data_kind hoist_kameleoon_data_kind_of(const hoist_kameleoon_data *HOIST_NULLABLE data);
/**
 * The datum as a JSON object, e.g. `{"type":"CustomData","index":3,"values":["a"]}`. Free with
 * hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_kameleoon_data_to_json(const hoist_kameleoon_data *HOIST_NULLABLE data);
/**
 * What hoist_kameleoon_data_to_json() gives, read again; members that are not needed may be missing. Owned by the caller; free
 * with hoist_kameleoon_data_free(). NULL with `error` set otherwise: HOIST_ERR_PARSE for what is no datum, and for what the
 * functions above make none of: a location without a country, a list that is too long or has other elements.
 */
HOIST_API hoist_kameleoon_data *HOIST_NULLABLE
hoist_kameleoon_data_from_json(const char *HOIST_NULLABLE json, size_t length,
                               hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** NULL is harmless. */
HOIST_API void hoist_kameleoon_data_free(hoist_kameleoon_data *HOIST_NULLABLE data);

#ifdef __cplusplus
}
#endif
#endif

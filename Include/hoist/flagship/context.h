/**
 * @file
 * The context of Flagship's visitors: what campaigns are targeted by.
 */
#ifndef HOIST_FLAGSHIP_CONTEXT_H
#define HOIST_FLAGSHIP_CONTEXT_H

#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Keys that the service knows. The type is that of their values; any other one is refused, also when the key is spelled out.
 * Those marked * are set by Hoist when a visitor is made, over what the host has given, and may be set anew afterwards.
 */
typedef int32_t hoist_flagship_context_key;
enum {
    HOIST_FLAGSHIP_CONTEXT_FIRST_TIME_INIT     = 0,  /**< sdk_firstTimeInit, boolean *: the first visitor with this store */
    HOIST_FLAGSHIP_CONTEXT_LOCALE              = 1,  /**< sdk_deviceLanguage, text *: the locale, "fr_FR"; for "C", "en_US" */
    HOIST_FLAGSHIP_CONTEXT_DEVICE_TYPE         = 2,  /**< sdk_deviceType, text *: "Desktop" */
    HOIST_FLAGSHIP_CONTEXT_DEVICE_MODEL        = 3,  /**< sdk_deviceModel, text *: the machine's architecture */
    HOIST_FLAGSHIP_CONTEXT_LOCATION_CITY       = 4,  /**< sdk_city, text */
    HOIST_FLAGSHIP_CONTEXT_LOCATION_REGION     = 5,  /**< sdk_region, text */
    HOIST_FLAGSHIP_CONTEXT_LOCATION_COUNTRY    = 6,  /**< sdk_country, text */
    HOIST_FLAGSHIP_CONTEXT_LOCATION_LAT        = 7,  /**< sdk_lat, double */
    HOIST_FLAGSHIP_CONTEXT_LOCATION_LONG       = 8,  /**< sdk_long, double */
    HOIST_FLAGSHIP_CONTEXT_OS_NAME             = 9,  /**< sdk_osName, text *: "Linux" */
    HOIST_FLAGSHIP_CONTEXT_OS_VERSION_CODE     = 10, /**< sdk_osVersionCode, text *: the kernel's release */
    HOIST_FLAGSHIP_CONTEXT_OS_VERSION_NAME     = 11, /**< sdk_osVersionName, text *: the distribution */
    HOIST_FLAGSHIP_CONTEXT_CARRIER_NAME        = 12, /**< sdk_carrierName, text */
    HOIST_FLAGSHIP_CONTEXT_MVNO                = 12, /**< the same */
    HOIST_FLAGSHIP_CONTEXT_DEV_MODE            = 13, /**< sdk_devMode, boolean */
    HOIST_FLAGSHIP_CONTEXT_INTERNET_CONNECTION = 14, /**< sdk_internetConnection, text */
    HOIST_FLAGSHIP_CONTEXT_APP_VERSION_NAME    = 15, /**< sdk_versionName, text */
    HOIST_FLAGSHIP_CONTEXT_APP_VERSION_CODE    = 16, /**< sdk_versionCode, integer */
    HOIST_FLAGSHIP_CONTEXT_FLAGSHIP_VERSION    = 17, /**< sdk_fsVersion, text *: Hoist's version */
    HOIST_FLAGSHIP_CONTEXT_INTERFACE_NAME      = 18, /**< sdk_interfaceName, text */
    HOIST_FLAGSHIP_CONTEXT_IP                  = 19  /**< sdk_ip, text: an IPv4 or IPv6 address */
};

/** The key as the calls below take it, e.g. "sdk_city"; "" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_context_key_name(hoist_flagship_context_key key);

/*
 * Each of these that sets something makes the visitor's flags due to be fetched (FETCH_REQUIRED, UPDATE_CONTEXT), also when no
 * value is another one. They are refused with HOIST_ERR_FLAGSHIP_NOT_INITIALIZED before the start and after close, and with
 * HOIST_ERR_FLAGSHIP_PANIC in panic. What is refused leaves the former value:
 * HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED for an empty key, for one that only Hoist sets (fs_client, fs_version, fs_users,
 * fs_all_users), for a value of a wrong type, for a number that is not finite, and beyond the limits of hoist_context;
 * HOIST_ERR_ARGUMENT for NULL and invalid UTF-8. Everything is borrowed for the call.
 */
HOIST_API hoist_status hoist_flagship_visitor_set_string(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                         const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE value);
HOIST_API hoist_status hoist_flagship_visitor_set_bool(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                       const char *HOIST_NULLABLE key, bool value);
HOIST_API hoist_status hoist_flagship_visitor_set_int64(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                        const char *HOIST_NULLABLE key, int64_t value);
HOIST_API hoist_status hoist_flagship_visitor_set_double(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                         const char *HOIST_NULLABLE key, double value);
/** Several pairs in one step: those that cannot be set are left out, and logged. The targeting key is not looked at. */
HOIST_API hoist_status hoist_flagship_visitor_update_context(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                             const hoist_context *HOIST_NULLABLE context);
/** The same with the pairs of a JSON object; HOIST_ERR_PARSE when it is none. */
HOIST_API hoist_status hoist_flagship_visitor_update_context_json(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                                  const char *HOIST_NULLABLE json, size_t length);
/** Removes all pairs but those that Hoist sets, which get their first values back. */
HOIST_API hoist_status hoist_flagship_visitor_clear_context(hoist_flagship_visitor *HOIST_NULLABLE visitor);

/** All pairs, those that Hoist sets included, as a JSON object. Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_flagship_visitor_context(const hoist_flagship_visitor *HOIST_NULLABLE visitor);

#ifdef __cplusplus
}
#endif
#endif

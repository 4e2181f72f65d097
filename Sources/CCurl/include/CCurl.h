/* libcurl as Swift can call it: loaded when the network is first needed, so that a program that stays offline neither
 * waits for it nor carries its memory; the variadic calls made plain; and the few decisions that depend on the version
 * of the header. */
#pragma once
#ifndef CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_TYPECHECK 1 /* its macros expect literal options */
#endif
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define SHIM_CURL_FUNCTIONS(X)                                                                                         \
  X(global_init) X(free) X(url) X(url_cleanup) X(url_get) X(url_set) X(slist_append) X(slist_free_all) X(easy_init)     \
  X(easy_cleanup) X(easy_setopt) X(easy_getinfo) X(easy_strerror) X(multi_init) X(multi_setopt) X(multi_add_handle)     \
  X(multi_remove_handle) X(multi_perform) X(multi_poll) X(multi_wakeup) X(multi_info_read)

/* The functions of libcurl that are called, and no others. */
typedef struct shim_curl_library {
#define SHIM_CURL_MEMBER(name) __typeof__(&curl_##name) _Nonnull name;
  SHIM_CURL_FUNCTIONS(SHIM_CURL_MEMBER)
#undef SHIM_CURL_MEMBER
} shim_curl_library;

/* To be called before anything else here, by one thread at a time.
 * Returns NULL once libcurl is there, or else why it is not; that text lives until the next call. */
const char *_Nullable shim_curl_load(void);

/* Only once libcurl is loaded. */
const shim_curl_library *_Nonnull shim_curl(void);

static inline CURLcode shim_curl_global_init(void) { return shim_curl()->global_init(CURL_GLOBAL_DEFAULT); }

typedef size_t (*shim_curl_data_callback)(char *_Nullable bytes, size_t size, size_t count,
                                          void *_Nullable context);

static inline CURLcode shim_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
  return shim_curl()->easy_setopt(easy, option, value);
}
/* libcurl copies the string. */
static inline CURLcode shim_curl_set_string(CURL *_Nonnull easy, CURLoption option,
                                            const char *_Nullable value) {
  return shim_curl()->easy_setopt(easy, option, value);
}
static inline CURLcode shim_curl_set_pointer(CURL *_Nonnull easy, CURLoption option,
                                             void *_Nullable value) {
  return shim_curl()->easy_setopt(easy, option, value);
}
/* The list must live as long as the transfer. */
static inline CURLcode shim_curl_set_list(CURL *_Nonnull easy, CURLoption option,
                                          struct curl_slist *_Nullable list) {
  return shim_curl()->easy_setopt(easy, option, list);
}
static inline CURLcode shim_curl_set_data_callback(CURL *_Nonnull easy, CURLoption option,
                                                   shim_curl_data_callback _Nonnull callback) {
  return shim_curl()->easy_setopt(easy, option, callback);
}
/* Copies the bytes into the handle; NULL is an empty body. */
static inline CURLcode shim_curl_set_body(CURL *_Nonnull easy, const void *_Nullable bytes, size_t count) {
  CURLcode result = shim_curl()->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (result) return result;
  return shim_curl()->easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
}

static inline CURLcode shim_curl_set_http_only(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return shim_curl()->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return shim_curl()->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* Lets go of a running name look-up at once instead of waiting for its thread. */
static inline void shim_curl_set_quick_exit(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  (void)shim_curl()->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}

static inline curl_socket_t shim_curl_open_socket(void *_Nullable context, curlsocktype purpose,
                                           struct curl_sockaddr *_Nonnull address) {
  (void)context;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline CURLcode shim_curl_set_close_on_exec(CURL *_Nonnull easy) {
  return shim_curl()->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, shim_curl_open_socket);
}

static inline CURLcode shim_curl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value) {
  return shim_curl()->easy_getinfo(easy, info, value);
}

/* The file of authorities that libcurl was built to use, or NULL; lives as long as the handle. */
static inline const char *_Nullable shim_curl_authorities(CURL *_Nonnull easy) {
  const char *file = NULL;
  return shim_curl()->easy_getinfo(easy, CURLINFO_CAINFO, &file) == CURLE_OK ? file : NULL;
}

static inline CURLMcode shim_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
  return shim_curl()->multi_setopt(multi, option, value);
}

/* Waits for transfers, and for another descriptor to be readable. */
static inline CURLMcode shim_curl_multi_wait(CURLM *_Nonnull multi, int other, int milliseconds) {
  struct curl_waitfd descriptor = {.fd = other, .events = CURL_WAIT_POLLIN};
  return shim_curl()->multi_poll(multi, &descriptor, other < 0 ? 0 : 1, milliseconds, NULL);
}

/* The next transfer that has ended, or NULL. */
static inline CURL *_Nullable shim_curl_next_done(CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
  int left = 0;
  CURLMsg *message;
  while ((message = shim_curl()->multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

#include "CCurl.h"

#include <dlfcn.h>
#include <stdint.h>

/* Tells packagers of a library that is loaded by name: the list of needed libraries does not have it (ELF package
 * metadata: a note of owner "FDO" and type 0x407c0c0a). */
__asm__(".pushsection .note.dlopen, \"a\", @note\n"
        ".balign 4\n"
        ".long 4, 3f - 2f, 0x407c0c0a\n"
        ".asciz \"FDO\"\n"
        "2: .asciz \"[{\\\"feature\\\":\\\"network\\\",\\\"description\\\":\\\"HTTP\\\","
        "\\\"priority\\\":\\\"required\\\",\\\"soname\\\":[\\\"libcurl.so.4\\\"]}]\"\n"
        "3: .balign 4\n"
        ".popsection\n");

static shim_curl_library library;
static bool is_loaded;

const shim_curl_library *shim_curl(void) { return &library; }

/* OpenSSL asks, the first time that it is set up, to be torn down at exit: perhaps under a thread that is in the midst of
 * setting it up. Asked before that, it lets it be; the process ends anyway. Another TLS library has no such function. */
static void keep_openssl(void *handle) {
  const uint64_t no_atexit = 0x00080000; /* OPENSSL_INIT_NO_ATEXIT */
  int (*set_up)(uint64_t, const void *);
  *(void **)&set_up = dlsym(handle, "OPENSSL_init_crypto");
  if (set_up) set_up(no_atexit, NULL);
}

const char *shim_curl_load(void) {
  if (is_loaded) return NULL;
  /* Never closed: libraries below it ask to be called at the end of threads and of the process. */
  void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) return dlerror();
#define SHIM_CURL_FIND(name)                                                                                           \
  *(void **)&library.name = dlsym(handle, "curl_" #name);                                                              \
  if (!library.name) return "libcurl.so.4 has no curl_" #name ": 7.85 or later is needed";
  SHIM_CURL_FUNCTIONS(SHIM_CURL_FIND)
#undef SHIM_CURL_FIND
  keep_openssl(handle);
  is_loaded = true;
  return NULL;
}

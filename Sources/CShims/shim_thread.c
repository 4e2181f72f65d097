#define _GNU_SOURCE
#include "shim_thread.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

static __thread bool is_own __attribute__((tls_model("initial-exec")));
static __thread bool is_admitted __attribute__((tls_model("initial-exec")));
static __thread uint32_t exclusions __attribute__((tls_model("initial-exec")));
__thread uint32_t shim_tls_place __attribute__((tls_model("initial-exec")));

typedef struct start {
  void (*body)(void *);
  void *argument;
  char name[16];
} start;

static void *run(void *raw) {
  start work = *(start *)raw;
  free(raw);
  /* By itself, before anything else: until then it has its creator's name. */
  pthread_setname_np(pthread_self(), work.name);
  is_own = true;
  work.body(work.argument);
  return NULL;
}

int shim_thread_start(const char *name, size_t stack_bytes, void (*body)(void *), void *argument) {
  start *work = malloc(sizeof *work);
  if (!work) return ENOMEM;
  *work = (start){body, argument, ""};
  strncpy(work->name, name, sizeof work->name - 1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int failure = pthread_create(&thread, &attributes, run, work);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (failure) free(work);
  return failure;
}

bool shim_thread_is_own(void) { return is_own; }
void shim_thread_admit_host(void) { is_admitted = true; }
void shim_thread_exclude_host(void) { exclusions++; }
void shim_thread_end_exclusion(void) { exclusions--; }
bool shim_thread_admits_host(void) { return exclusions == 0 && (is_admitted || !is_own); }

size_t shim_thread_stack_left(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void *lowest = NULL;
  size_t size = 0;
  int failure = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  char *here = __builtin_frame_address(0);
  return failure || here < (char *)lowest ? 0 : (size_t)(here - (char *)lowest);
}

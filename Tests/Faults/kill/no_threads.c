/* To be preloaded: the system gives the process THREADS threads, and no more; how many it was asked for is told at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long wanted;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  const char *threads = getenv("THREADS");
  if (atomic_fetch_add(&wanted, 1) >= atol(threads ? threads : "0")) return EAGAIN;
  return ((__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, body, argument);
}

__attribute__((destructor)) static void tell(void) { printf("wanted %ld\n", wanted); }

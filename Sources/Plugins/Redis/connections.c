/* All connections of the process: a forked child makes its own connections, and finds no lock held by a thread that it has not. */
#include "connection.h"
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static connection *first; /* guarded by `lock` */
static unsigned forks;    /* changes only where there is no other thread */

static void before(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }

static void in_child(void) {
  forks++;
  pthread_mutex_init(&lock, NULL);
  for (connection *one = first; one; one = one->next) {
    pthread_mutex_init(&one->lock, NULL);
    /* The reader may have been in use: it is left behind. */
    if (one->socket >= 0) close(one->socket);
    one->socket = -1;
    one->reader = NULL;
    one->random ^= (uint64_t)getpid() * UINT64_C(0x9E3779B97F4A7C15);
  }
}

static void watch_forks(void) { pthread_atfork(before, in_parent, in_child); }

unsigned connections_forks(void) { return forks; }

void connections_add(connection *one) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  one->previous = NULL;
  one->next = first;
  if (first) first->previous = one;
  first = one;
  pthread_mutex_unlock(&lock);
}

void connections_remove(connection *one) {
  pthread_mutex_lock(&lock);
  if (one->next) one->next->previous = one->previous;
  if (one->previous) one->previous->next = one->next;
  else first = one->next;
  pthread_mutex_unlock(&lock);
}

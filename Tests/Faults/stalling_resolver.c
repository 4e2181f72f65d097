/* Preloaded into the test program: names under "stall.test" are looked up for as long as a test
 * likes, all others as ever. The tests find the two control functions by name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define NAMES 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct entry {
  char name[64];
  int waiting;
  bool released;
} entries[NAMES];

/* With the lock held. */
static struct entry *entry_of(const char *name) {
  for (int i = 0; i < NAMES; i++) {
    if (!entries[i].name[0]) strncpy(entries[i].name, name, sizeof entries[i].name - 1);
    if (strcmp(entries[i].name, name) == 0) return &entries[i];
  }
  return &entries[NAMES - 1];
}

/* Waits until `count` look-ups of the name are under way; false when they are not within 30 s. */
bool stalling_resolver_wait(const char *name, int count) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 30;
  pthread_mutex_lock(&lock);
  struct entry *entry = entry_of(name);
  int failure = 0;
  while (entry->waiting != count && !failure) failure = pthread_cond_timedwait(&changed, &lock, &limit);
  bool reached = entry->waiting == count;
  pthread_mutex_unlock(&lock);
  return reached;
}

void stalling_resolver_release(const char *name) {
  pthread_mutex_lock(&lock);
  entry_of(name)->released = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  static const char suffix[] = ".stall.test";
  size_t length = node ? strlen(node) : 0;
  if (length > sizeof suffix - 1 && strcmp(node + length - (sizeof suffix - 1), suffix) == 0) {
    pthread_mutex_lock(&lock);
    struct entry *entry = entry_of(node);
    entry->waiting++;
    pthread_cond_broadcast(&changed);
    while (!entry->released) pthread_cond_wait(&changed, &lock);
    entry->waiting--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return EAI_NONAME;
  }
  int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
  return next ? next(node, service, hints, result) : EAI_FAIL;
}

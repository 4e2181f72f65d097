#include "socket.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* False when the deadline passed first. */
static bool await(int socket, short events, int64_t deadline) {
  struct pollfd one = {.fd = socket, .events = events};
  for (;;) {
    int64_t left = deadline - now_ms();
    int ready = poll(&one, 1, left > 0 ? (int)left : 0);
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
    if (ready < 0 && errno != EINTR && errno != EAGAIN) return false;
  }
}

static bool may_try_again(void) { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

/* 0, or why not. */
static int connect_within(int socket, const struct sockaddr *address, socklen_t size, int64_t deadline) {
  if (connect(socket, address, size) == 0) return 0;
  /* EAGAIN of a unix socket: its queue is full. */
  if (errno != EINPROGRESS) return errno;
  if (!await(socket, POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

static int opened(const struct sockaddr *address, socklen_t size, int64_t deadline, int *error) {
  int made = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  *error = made < 0 ? errno : connect_within(made, address, size, deadline);
  if (*error == 0) return made;
  if (made >= 0) close(made);
  return -1;
}

static int open_path(const char *path, int64_t deadline, failure *why) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int error = ENAMETOOLONG, made = -1;
  if (strlen(path) < sizeof address.sun_path) {
    strcpy(address.sun_path, path);
    made = opened((const struct sockaddr *)&address, sizeof address, deadline, &error);
  }
  if (made < 0) failure_say(why, HOIST_ERR_NETWORK, REST, "no connection to Redis at %.200s: %s", path, strerror(error));
  return made;
}

int socket_open(const char *path, const char *host, int port, int64_t deadline, failure *why) {
  if (path) return open_path(path, deadline, why);
  char service[16];
  snprintf(service, sizeof service, "%d", port);
  struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
  int unknown = getaddrinfo(host, service, &wanted, &found), error = ENOENT, made = -1;
  if (unknown) {
    failure_say(why, HOIST_ERR_NETWORK, REST, "the host of Redis, %.200s, is not found: %s", host, gai_strerror(unknown));
    return -1;
  }
  for (struct addrinfo *one = found; one && made < 0; one = one->ai_next)
    made = opened(one->ai_addr, one->ai_addrlen, deadline, &error);
  freeaddrinfo(found);
  if (made < 0) {
    failure_say(why, HOIST_ERR_NETWORK, REST, "no connection to Redis at %.200s:%d: %s", host, port, strerror(error));
    return -1;
  }
  /* A peer that has vanished is found out within half a minute, also while nothing is asked. */
  int on = 1, idle = 15, between = 5, probes = 3;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(made, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(made, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  setsockopt(made, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  return made;
}

static void say_too_late(failure *why) {
  failure_say(why, HOIST_ERR_TIMEOUT, REST, "Redis has not answered in time (option \"timeout_ms\")");
}

bool socket_send(int socket, const char *bytes, size_t size, int64_t deadline, failure *why) {
  while (size > 0) {
    ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent > 0) {
      bytes += sent;
      size -= (size_t)sent;
    } else if (!may_try_again()) {
      failure_say(why, HOIST_ERR_NETWORK, CONNECT_ANEW, "the connection to Redis has broken: %s", strerror(errno));
      return false;
    } else if (!await(socket, POLLOUT, deadline)) {
      say_too_late(why);
      return false;
    }
  }
  return true;
}

size_t socket_receive(int socket, char *bytes, size_t size, int64_t deadline, failure *why) {
  for (;;) {
    ssize_t received = recv(socket, bytes, size, 0);
    if (received > 0) return (size_t)received;
    if (received == 0 || !may_try_again()) {
      failure_say(why, HOIST_ERR_NETWORK, CONNECT_ANEW, "the connection to Redis has broken: %s",
                  received == 0 ? "it was closed" : strerror(errno));
      return 0;
    }
    if (!await(socket, POLLIN, deadline)) {
      say_too_late(why);
      return 0;
    }
  }
}

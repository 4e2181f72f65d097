/* An Unleash service on loopback, in a process of its own: it serves two flags, accepts metrics, and adds up what it
 * accepted. Started before the library's first call, so that nothing of the library is in it. */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host.h"

/* Written by the server's process, read by the test's. */
typedef struct loopback_totals {
  long requests;
  long evaluations;   /* of the flag "on", as the metrics say */
  long events;        /* of tracked events named "parent" */
  long child_events;  /* of those named "child" */
} loopback_totals;

typedef struct loopback {
  pid_t process;
  loopback_totals *totals;
  char url[64];
} loopback;

enum { LOOPBACK_CONNECTIONS = 256, LOOPBACK_REQUEST = 1 << 20 };

typedef struct loopback_connection {
  char *bytes;
  size_t used;
} loopback_connection;

static inline long loopback_samples(json_t *metric) {
  size_t index;
  json_t *sample;
  long sum = 0;
  json_array_foreach(json_object_get(metric, "samples"), index, sample) {
    sum += (long)json_integer_value(json_object_get(sample, "value"));
  }
  return sum;
}

static inline void loopback_count(const char *body, size_t size, loopback_totals *totals) {
  json_t *root = json_loadb(body, size, 0, NULL), *metric;
  size_t index;
  json_t *flag = json_object_get(json_object_get(json_object_get(root, "bucket"), "toggles"), "on");
  totals->evaluations += (long)json_integer_value(json_object_get(flag, "yes"));
  json_array_foreach(json_object_get(root, "impactMetrics"), index, metric) {
    const char *name = json_string_value(json_object_get(metric, "name"));
    if (name && strcmp(name, "parent") == 0) totals->events += loopback_samples(metric);
    if (name && strcmp(name, "child") == 0) totals->child_events += loopback_samples(metric);
  }
  json_decref(root);
}

static inline void loopback_send(int socket, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes += sent;
    size -= (size_t)sent;
  }
}

/* Answers the request that the buffer begins with; returns its length, or 0 when it is not complete. */
static inline size_t loopback_answer(int socket, loopback_connection *connection, loopback_totals *totals) {
  connection->bytes[connection->used] = 0;
  const char *end = strstr(connection->bytes, "\r\n\r\n");
  if (!end) return 0;
  size_t head = (size_t)(end - connection->bytes) + 4, body = 0;
  for (const char *line = connection->bytes; line < end; line = strstr(line, "\r\n") + 2)
    if (strncasecmp(line, "content-length:", 15) == 0) body = (size_t)strtoul(line + 15, NULL, 10);
  if (head + body > LOOPBACK_REQUEST) exit(71);
  if (connection->used < head + body) return 0;
  totals->requests++;
  char answer[2048];
  if (strncmp(connection->bytes, "GET ", 4) == 0) {
    snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(HOST_BOOTSTRAP), HOST_BOOTSTRAP);
  } else {
    loopback_count(connection->bytes + head, body, totals);
    snprintf(answer, sizeof answer, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  }
  loopback_send(socket, answer, strlen(answer));
  return head + body;
}

/* Reads what is there. Returns false when the connection has ended. */
static inline bool loopback_read(int socket, loopback_connection *connection, loopback_totals *totals) {
  if (!connection->bytes) connection->bytes = (char *)malloc(LOOPBACK_REQUEST + 1);
  if (!connection->bytes) exit(71);
  ssize_t got = recv(socket, connection->bytes + connection->used, LOOPBACK_REQUEST - connection->used, 0);
  if (got <= 0) return false;
  connection->used += (size_t)got;
  for (size_t done; (done = loopback_answer(socket, connection, totals)) > 0; connection->used -= done)
    memmove(connection->bytes, connection->bytes + done, connection->used - done);
  return true;
}

static inline void loopback_serve(int listener, loopback_totals *totals) {
  static struct pollfd sockets[LOOPBACK_CONNECTIONS];
  static loopback_connection connections[LOOPBACK_CONNECTIONS];
  nfds_t count = 1;
  sockets[0].fd = listener;
  sockets[0].events = POLLIN;
  for (;;) {
    if (poll(sockets, count, -1) < 0) continue;
    nfds_t known = count;
    if (sockets[0].revents && count < LOOPBACK_CONNECTIONS) {
      int on = 1, accepted = accept(listener, NULL, NULL);
      if (accepted >= 0) {
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        sockets[count].fd = accepted;
        sockets[count].events = POLLIN;
        sockets[count].revents = 0;
        connections[count++].used = 0;
      }
    }
    for (nfds_t index = known; index-- > 1;) {
      if (!sockets[index].revents || loopback_read(sockets[index].fd, &connections[index], totals)) continue;
      close(sockets[index].fd);
      count--;
      loopback_connection freed = connections[index];
      sockets[index] = sockets[count];
      connections[index] = connections[count];
      connections[count] = freed; /* its memory serves another connection */
    }
  }
}

static inline loopback loopback_start(void) {
  loopback server;
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  server.totals = (loopback_totals *)mmap(NULL, sizeof *server.totals, PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (listener < 0 || server.totals == MAP_FAILED || bind(listener, (struct sockaddr *)&address, size) != 0 ||
      listen(listener, 128) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
    exit(71);
  snprintf(server.url, sizeof server.url, "http://127.0.0.1:%d/api/frontend", (int)ntohs(address.sin_port));
  server.process = fork();
  if (server.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    loopback_serve(listener, server.totals);
  }
  close(listener);
  if (server.process < 0) exit(71);
  return server;
}

#endif

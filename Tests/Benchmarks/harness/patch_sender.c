#include "patch_sender.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATCH_ROOM = 1024, CHUNK = 64 << 10 };

typedef struct { const workload *what; const whole_set *set; bool of_rules; int listening, control; } service;

static int write_value(char *out, const char *key, uint32_t number)
{
    return snprintf(out, PATCH_ROOM, "event: patch\ndata: {\"key\":\"%s\",\"version\":%u,\"value\":%u,\"variation\":0}\n\n",
                    key, number, number);
}

/** Three rules that a context without attributes fails. */
static int write_rules(char *out, const char *key, uint32_t number)
{
    static const char rule[] = "{\"id\":\"r\",\"variation\":1,\"clauses\":[{\"attribute\":\"country\",\"op\":\"in\",\"values\":[\"NL\"]},"
                               "{\"attribute\":\"plan\",\"op\":\"in\",\"values\":[\"pro\"]}]}";
    return snprintf(out, PATCH_ROOM,
                    "event: patch\ndata: {\"path\":\"/flags/%s\",\"data\":{\"key\":\"%s\",\"version\":%u,\"on\":true,\"salt\":\"s\","
                    "\"variations\":[%u,0],\"offVariation\":1,\"fallthrough\":{\"variation\":0},\"rules\":[%s,%s,%s]}}\n\n",
                    key, key, number, number, rule, rule, rule);
}

/** Returns false when the client has closed the stream. */
static bool send_burst(const service *self, int stream, burst wanted)
{
    static char chunk[CHUNK];
    size_t size = 0;
    for (uint32_t number = wanted.first; number < wanted.first + wanted.count; number++) {
        const char *key = self->what->flags[number % self->what->flag_count].key;
        size += (size_t)(self->of_rules ? write_rules : write_value)(chunk + size, key, number);
        if (size < CHUNK - PATCH_ROOM) continue;
        if (!send_all(stream, chunk, size)) return false;
        size = 0;
    }
    return send_all(stream, chunk, size);
}

/** One stream, until the client closes it. */
static void serve(const service *self, int stream)
{
    burst wanted;
    for (bool is_open = true; is_open;) {
        struct pollfd ready[2] = {{self->control, POLLIN, 0}, {stream, POLLIN, 0}};
        if (poll(ready, 2, -1) < 0) continue;
        is_open = !ready[1].revents; /* a client says nothing on a stream: this is its end */
        if (!ready[0].revents) continue;
        if (recv(self->control, &wanted, sizeof wanted, 0) != sizeof wanted) _exit(0);
        is_open = is_open && send_burst(self, stream, wanted);
        if (send(self->control, &is_open, sizeof is_open, MSG_NOSIGNAL) <= 0) _exit(0);
    }
    close(stream);
}

patch_sender patch_sender_start(const workload *what, const whole_set *set, bool of_rules)
{
    patch_sender self;
    int ends[2], listening = listen_on_loopback(self.url);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) die("no pair of sockets");
    pid_t process = fork();
    if (process < 0) die("no process for the service");
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        const service served = {what, set, of_rules, listening, ends[1]};
        for (int stream;;)
            if ((stream = accept_stream(listening, set)) >= 0) serve(&served, stream);
    }
    close(listening);
    close(ends[1]);
    self.control = ends[0];
    return self;
}

void patch_sender_begin(const patch_sender *self, burst what)
{
    if (send(self->control, &what, sizeof what, MSG_NOSIGNAL) != sizeof what) die("the process of the service has ended");
}

bool patch_sender_finish(const patch_sender *self)
{
    bool is_sent = false;
    if (recv(self->control, &is_sent, sizeof is_sent, 0) != sizeof is_sent) die("the process of the service has ended");
    return is_sent;
}

#include "stream_service.h"
#include "workload.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

whole_set whole_set_read(const char *folder, const char *name, bool of_rules)
{
    whole_set self = {NULL, of_rules ? "{\"path\":\"/\",\"data\":" : "", of_rules ? "}" : "", 0};
    self.flags = read_file(folder, name, &self.size);
    return self;
}

int listen_on_loopback(char url[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 8) ||
        getsockname(listening, (struct sockaddr *)&address, &size))
        die("no service on the loopback interface");
    snprintf(url, 64, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return listening;
}

bool send_all(int stream, const char *text, size_t size)
{
    for (ssize_t sent; size; text += sent, size -= (size_t)sent)
        if ((sent = send(stream, text, size, MSG_NOSIGNAL)) <= 0) return false;
    return true;
}

bool send_put(int stream, const whole_set *set)
{
    static const char event[] = "event: put\ndata: ";
    return send_all(stream, event, sizeof event - 1) && send_all(stream, set->head, strlen(set->head)) &&
           send_all(stream, set->flags, set->size) && send_all(stream, set->tail, strlen(set->tail)) &&
           send_all(stream, "\n\n", 2);
}

int accept_stream(int listening, const whole_set *set)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    char request[8192];
    int stream = accept(listening, NULL, NULL);
    if (stream < 0) die("no request for a stream");
    setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (recv(stream, request, sizeof request, 0) > 0 && send_all(stream, head, sizeof head - 1) && send_put(stream, set))
        return stream;
    close(stream);
    return -1;
}

/* A host of Flagship or Kameleoon that knows many people, who have numbers: people_host SERVICE PLUGIN OPTIONS NAME=VALUE … Each line of its
 * input has one in its output; FIRST and LAST are people, the last one not among them.
 *
 *   meet FIRST LAST      makes them; the gravest status. Flagship's have consented
 *   agree FIRST LAST     the gravest status of their consents
 *   refuse FIRST LAST    the gravest status of their refusals
 *   answers FIRST LAST   a digit for each: 0 none, 1 consented, 2 refused
 *   record FIRST LAST    records something of each that goes with consent alone; the gravest status
 *   fork FIRST LAST      the status of a child's close, when it knows of all of them that they have refused
 *   look                 the client's state, and its statistics
 *   flush                the status
 *   close [LIMIT]        the status, and the end; the limit in milliseconds */
#define _POSIX_C_SOURCE 200809L
#include "opening.h"
#include <hoist/flagship.h>
#include <hoist/kameleoon.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PEOPLE = 1024, NAME_BYTES = 32, LIMIT_MS = 30000 };

static bool is_flagship;
static hoist_flagship_visitor *of_flagship[PEOPLE];
static hoist_kameleoon_visitor *of_kameleoon[PEOPLE];

static hoist_status meet(hoist_client *client, int person) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "p%d", person);
    if (!is_flagship) return hoist_kameleoon_visitor_new(client, name, &of_kameleoon[person], NULL);
    hoist_flagship_visitor_options options = HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT;
    options.id = name;
    options.has_consented = true;
    options.instance = HOIST_FLAGSHIP_NEW_INSTANCE;
    return hoist_flagship_visitor_new(client, &options, &of_flagship[person], NULL);
}

static hoist_status answer(int person, bool agrees) {
    return is_flagship ? hoist_flagship_visitor_set_consent(of_flagship[person], agrees)
                       : hoist_kameleoon_visitor_set_legal_consent(of_kameleoon[person], agrees);
}

static int answer_of(int person) {
    if (is_flagship) return hoist_flagship_visitor_has_consented(of_flagship[person]) ? 1 : 2;
    return hoist_kameleoon_visitor_legal_consent(of_kameleoon[person]);
}

static hoist_status record(int person) {
    if (!is_flagship) {
        hoist_kameleoon_data *data = hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE);
        const hoist_kameleoon_data *list[1] = {data};
        hoist_status status = hoist_kameleoon_visitor_add_data(of_kameleoon[person], list, 1, true);
        hoist_kameleoon_data_free(data);
        return status;
    }
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "p%d", person);
    hoist_flagship_hit *hit = hoist_flagship_hit_new_screen(name);
    hoist_status status = hoist_flagship_visitor_send_hit(of_flagship[person], hit, NULL);
    hoist_flagship_hit_free(hit);
    return status;
}

static hoist_status do_one(hoist_client *client, const char *what, int person) {
    if (strcmp(what, "meet") == 0) return meet(client, person);
    if (strcmp(what, "record") == 0) return record(person);
    return answer(person, strcmp(what, "agree") == 0);
}

static hoist_status do_all(hoist_client *client, const char *what, int first, int last) {
    hoist_status gravest = HOIST_OK;
    for (int person = first; person < last && person < PEOPLE; person++) {
        hoist_status status = do_one(client, what, person);
        if (status != HOIST_OK) gravest = status;
    }
    return gravest;
}

static hoist_status close_all(hoist_client *client, int64_t limit_ms) {
    for (int person = 0; person < PEOPLE; person++) {
        hoist_flagship_visitor_free(of_flagship[person]);
        hoist_kameleoon_visitor_free(of_kameleoon[person]);
    }
    hoist_status status = hoist_client_close(client, limit_ms);
    hoist_client_free(client);
    return status;
}

static hoist_status in_child(hoist_client *client, int first, int last) {
    pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT_MS / 1000);
        /* With its first use the child begins to work. */
        (void)hoist_client_bool(client, "none", NULL, false, NULL);
        for (int person = first; person < last && person < PEOPLE; person++)
            while (answer_of(person) != 2) nanosleep(&(struct timespec){0, 20000000}, NULL);
        _exit(close_all(client, LIMIT_MS));
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? (hoist_status)WEXITSTATUS(ended) : HOIST_ERR_TIMEOUT;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    is_flagship = strcmp(argv[1], "flagship") == 0;
    hoist_client *client = open_with(hoist_config_new(argv[1]), argv + 4, argv[2], argv[3]);
    (void)hoist_client_wait_ready(client, LIMIT_MS);
    char line[64], what[16];
    while (fgets(line, sizeof line, stdin)) {
        int first = 0, last = 0;
        if (sscanf(line, "%15s %d %d", what, &first, &last) < 1) return 2;
        if (strcmp(what, "answers") == 0) {
            for (int person = first; person < last && person < PEOPLE; person++) putchar('0' + answer_of(person));
            putchar('\n');
        } else if (strcmp(what, "look") == 0) {
            look(client);
        } else if (strcmp(what, "flush") == 0) {
            print_status(hoist_client_flush(client, LIMIT_MS));
        } else if (strcmp(what, "fork") == 0) {
            print_status(in_child(client, first, last));
        } else if (strcmp(what, "close") == 0) {
            print_status(close_all(client, first ? first : LIMIT_MS));
            return 0;
        } else {
            print_status(do_all(client, what, first, last));
        }
    }
    return 1;
}

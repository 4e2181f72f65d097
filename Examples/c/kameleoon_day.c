/* A shop's day with Kameleoon, against a server: somebody who is not known yet gets a variation and logs in, on this device
 * and on another one; a run with the service gone; a configuration that changes under a running program.
 *
 *   kameleoon_day login   SITE CONFIGURATION-URL DATA-URL STREAM-URL TOKEN-URL STORE-FOLDER
 *   kameleoon_day again   …      the user on another device, with an empty store
 *   kameleoon_day offline …      what the store has, when nobody answers
 *   kameleoon_day live    …      says "waiting" and waits for a real-time event
 */
#include <hoist/kameleoon.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char user_id[] = "user-17";
static const int64_t mapping_index = 3; /* the site's unique identifier for matching devices */
static const int64_t purchase_goal = 123;

static void fail(const char *what, hoist_error *error) {
    fprintf(stderr, "%s: %s\n", what, hoist_error_message(error));
    exit(EXIT_FAILURE);
}

static void check(const char *what, hoist_status status) {
    if (status == HOIST_OK) return;
    fprintf(stderr, "%s: %s\n", what, hoist_status_name(status));
    exit(EXIT_FAILURE);
}

static void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    if (hoist_config_set(config, name, value, &error) != HOIST_OK) fail(name, error);
}

/* A visitor of the site; NULL for one whose code is generated, and kept for the next run. */
static hoist_kameleoon_visitor *create(char **argv, const char *code, bool is_unique) {
    hoist_config *config = hoist_config_new("kameleoon");
    set(config, "configuration.url", argv[3]);
    set(config, "data.url", argv[4]);
    set(config, "stream.url", argv[5]);
    set(config, "token.url", argv[6]);
    set(config, "client_id", "sample-client");
    set(config, "client_secret", "sample-secret");
    set(config, "store.path", argv[7]);
    set(config, "is_unique_identifier", is_unique ? "true" : "false");
    hoist_error *error = NULL;
    hoist_kameleoon_visitor *visitor = NULL;
    if (hoist_kameleoon_create(argv[2], code, config, &visitor, &error) != HOIST_OK) fail("create", error);
    hoist_config_free(config);
    check("ready", hoist_kameleoon_wait_ready(hoist_kameleoon_visitor_client(visitor), 5000));
    return visitor;
}

/* ---- Waiting for callbacks --------------------------------------------------------------------------------- */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_told;
    hoist_status status;
} signal_of_hoist;

static void tell(void *user_data, hoist_status status) {
    signal_of_hoist *told = user_data;
    pthread_mutex_lock(&told->lock);
    told->is_told = true;
    told->status = status;
    pthread_cond_signal(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

static void tell_of_update(void *user_data) { tell(user_data, HOIST_OK); }

static hoist_status wait_for(signal_of_hoist *told) {
    pthread_mutex_lock(&told->lock);
    while (!told->is_told) pthread_cond_wait(&told->changed, &told->lock);
    pthread_mutex_unlock(&told->lock);
    return told->status;
}

/* ---- What visitors do -------------------------------------------------------------------------------------- */

static void show(const char *who, hoist_kameleoon_visitor *visitor) {
    hoist_kameleoon_variation *variation = NULL;
    check(who, hoist_kameleoon_visitor_variation(visitor, "checkout", true, &variation));
    printf("  %s: checkout is \"%s\" in %lld steps\n", who, hoist_kameleoon_variation_key(variation),
           (long long)hoist_kameleoon_variable_int64(hoist_kameleoon_variation_variable(variation, "steps"), -1));
    hoist_kameleoon_variation_free(variation);
}

static void log_in(hoist_kameleoon_visitor *anonymous) {
    const char *values[] = {user_id};
    hoist_kameleoon_data *identifier = hoist_kameleoon_custom_data(mapping_index, values, 1);
    const hoist_kameleoon_data *data[] = {identifier};
    check("add data", hoist_kameleoon_visitor_add_data(anonymous, data, 1, true));
    hoist_kameleoon_data_free(identifier);
    signal_of_hoist flushed = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, HOIST_OK};
    check("flush", hoist_kameleoon_visitor_flush(anonymous, true, tell, &flushed));
    printf("  logged in: %s\n", hoist_status_name(wait_for(&flushed)));
}

static void read_history(hoist_kameleoon_visitor *visitor) {
    hoist_kameleoon_filter filter = HOIST_KAMELEOON_FILTER_INIT;
    filter.conversions = true;
    hoist_kameleoon_data_list *history = NULL;
    hoist_status status = hoist_kameleoon_visitor_get_remote_visitor_data_wait(visitor, &filter, true, 5000, &history);
    printf("  the service knows: %s\n", hoist_status_name(status));
    for (size_t i = 0; i < hoist_kameleoon_data_list_count(history); i++) {
        hoist_text *json = hoist_kameleoon_data_to_json(hoist_kameleoon_data_list_at(history, i));
        printf("    %s\n", hoist_text_data(json));
        hoist_text_free(json);
    }
    hoist_kameleoon_data_list_free(history);
}

static void day_of_login(char **argv) {
    hoist_kameleoon_visitor *anonymous = create(argv, NULL, false);
    show("anonymous", anonymous);
    log_in(anonymous);
    hoist_kameleoon_visitor *user = create(argv, user_id, true);
    show("user", user);
    check("track", hoist_kameleoon_visitor_track_conversion(user, purchase_goal, 10.0, false, NULL, 0));
    printf("  delivered: %s\n", hoist_status_name(hoist_client_flush(hoist_kameleoon_visitor_client(user), 5000)));
    hoist_kameleoon_visitor_free(user);
    hoist_kameleoon_visitor_free(anonymous);
}

static void other_device(char **argv) {
    hoist_kameleoon_visitor *user = create(argv, user_id, true);
    read_history(user);
    show("user", user);
    hoist_kameleoon_visitor_free(user);
}

static void without_network(char **argv) {
    hoist_kameleoon_visitor *anonymous = create(argv, NULL, false);
    show("anonymous", anonymous);
    hoist_kameleoon_visitor *user = create(argv, user_id, true);
    show("user", user);
    hoist_kameleoon_visitor_free(user);
    hoist_kameleoon_visitor_free(anonymous);
}

static void live_update(char **argv) {
    hoist_kameleoon_visitor *visitor = create(argv, "lena", false);
    signal_of_hoist updated = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, HOIST_OK};
    hoist_kameleoon_observer observer = HOIST_KAMELEOON_OBSERVER_INIT;
    hoist_token token;
    observer.user_data = &updated;
    observer.configuration_updated = tell_of_update;
    check("observer", hoist_kameleoon_observe(hoist_kameleoon_visitor_client(visitor), &observer, &token));
    show("lena", visitor);
    puts("waiting");
    fflush(stdout);
    wait_for(&updated);
    show("lena, after the event", visitor);
    check("observer", hoist_client_unobserve(hoist_kameleoon_visitor_client(visitor), token));
    hoist_kameleoon_visitor_free(visitor);
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: %s login|again|offline|live SITE CONFIGURATION-URL DATA-URL STREAM-URL TOKEN-URL STORE-FOLDER\n",
                argv[0]);
        return 2;
    }
    if (strcmp(argv[1], "login") == 0) day_of_login(argv);
    else if (strcmp(argv[1], "again") == 0) other_device(argv);
    else if (strcmp(argv[1], "offline") == 0) without_network(argv);
    else live_update(argv);
    printf("  closed: %s\n", hoist_status_name(hoist_kameleoon_forget(argv[2], NULL, 3000)));
    return EXIT_SUCCESS;
}

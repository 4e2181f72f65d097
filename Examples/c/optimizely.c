/* Optimizely: decisions with variables from a datafile, without a network and without an account.
 *
 *   cc optimizely.c $(pkg-config --cflags --libs hoist) -o optimizely && ./optimizely datafile.json
 */
#include <hoist/hoist.h>
#include <hoist/optimizely.h>
#include <stdio.h>
#include <stdlib.h>

static void show(hoist_optimizely_user *user) {
    hoist_optimizely_decision *decision =
        hoist_optimizely_user_decide(user, "checkout", HOIST_OPTIMIZELY_INCLUDE_REASONS);
    const char *variation = hoist_optimizely_decision_variation_key(decision);
    const char *button = hoist_optimizely_decision_string(decision, "button");
    int64_t steps = 0;
    hoist_optimizely_decision_int64(decision, "steps", &steps);
    hoist_text *color = hoist_optimizely_decision_value(decision, "theme.color");
    printf("%s: checkout is %s, variation %s, button \"%s\", %d steps, color %s\n", hoist_optimizely_user_id(user),
           hoist_optimizely_decision_enabled(decision) ? "on" : "off", *variation ? variation : "(none)",
           button, (int)steps, hoist_text_data(color));
    for (size_t i = 0; i < hoist_optimizely_decision_reason_count(decision); i++)
        printf("  %s\n", hoist_optimizely_decision_reason(decision, i));
    hoist_text_free(color);
    hoist_optimizely_decision_free(decision);
}

/* Told of every decision: here one could log exposures. */
static void on_decision(void *count, hoist_optimizely_notification_kind kind, const char *json, size_t length) {
    (void)kind, (void)json, (void)length;
    ++*(int *)count;
}

int main(int argc, char **argv) {
    hoist_error *error = NULL;
    hoist_config *config = hoist_config_new("optimizely");
    hoist_config_set(config, "datafile.file", argc > 1 ? argv[1] : "optimizely.json", &error);
    hoist_config_set(config, "online", "false", &error);
    hoist_config_set(config, "store", "none", &error);
    hoist_config_set(config, "dispatch", "manual", &error); /* observers run in hoist_client_dispatch() */

    hoist_client *client = NULL;
    if (hoist_client_open(config, &client, &error) != HOIST_OK) {
        fprintf(stderr, "cannot open: %s\n", hoist_error_message(error));
        return EXIT_FAILURE;
    }
    hoist_config_free(config);
    hoist_client_wait_ready(client, 1000);

    int decisions = 0;
    hoist_optimizely_observer observer = HOIST_OPTIMIZELY_OBSERVER_INIT;
    observer.user_data = &decisions;
    observer.notify = on_decision;
    hoist_optimizely_observe(client, HOIST_OPTIMIZELY_DECISION, &observer, NULL);

    hoist_optimizely_user *user = hoist_optimizely_user_new(client, "user-42", NULL);
    show(user);
    hoist_optimizely_user *professional = hoist_optimizely_user_new(client, "user-7", NULL);
    hoist_optimizely_user_set_string(professional, "plan", "pro");
    show(professional);
    hoist_optimizely_user_set_forced_decision(professional, "checkout", NULL, "colorful");
    show(professional);

    hoist_optimizely_decisions *all = hoist_optimizely_user_decide_all(professional, 0);
    printf("all flags:");
    for (size_t i = 0; i < hoist_optimizely_decisions_count(all); i++)
        printf(" %s", hoist_optimizely_decision_flag_key(hoist_optimizely_decisions_at(all, i)));
    printf("\n");
    hoist_optimizely_decisions_free(all);

    const char tags[] = "{\"revenue\":1990,\"value\":19.9}";
    hoist_status tracked = hoist_optimizely_user_track(professional, "purchase", tags, sizeof tags - 1, NULL);
    printf("purchase: %s\n", hoist_status_name(tracked));

    hoist_client_dispatch(client, 0);
    printf("observers were told of %d decisions\n", decisions);

    hoist_client_close(client, 1000);
    hoist_client_free(client);
    show(user); /* outlives its client */
    hoist_optimizely_user_free(user);
    hoist_optimizely_user_free(professional);
    return decisions == 5 && tracked == HOIST_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

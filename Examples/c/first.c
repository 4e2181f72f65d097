/* The first program: flags from a file, without a network and without an account.
 *
 *   cc first.c $(pkg-config --cflags --libs hoist) -o first && ./first features.json
 */
#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    hoist_error *error = NULL;
    hoist_config *config = hoist_config_new("unleash");
    hoist_config_set(config, "mode", "backend", &error); /* definitions are evaluated here */
    hoist_config_set(config, "online", "false", &error);
    hoist_config_set(config, "bootstrap.file", argc > 1 ? argv[1] : "features.json", &error);

    hoist_client *client = NULL;
    hoist_status status = hoist_client_open(config, &client, &error);
    hoist_config_free(config);
    if (status != HOIST_OK) {
        fprintf(stderr, "cannot open: %s\n", hoist_error_message(error));
        hoist_error_free(error);
        return EXIT_FAILURE;
    }
    hoist_client_wait_ready(client, 1000);

    hoist_context *user = hoist_context_new("user-42");
    hoist_context_set_string(user, "country", "NO");
    hoist_context_set_string(user, "plan", "pro");
    hoist_context_set_int64(user, "age", 30);

    printf("new-checkout is %s\n", hoist_client_bool(client, "new-checkout", user, false, NULL) ? "on" : "off");

    char greeting[64];
    hoist_client_string(client, "greeting", user, "Hello", greeting, sizeof greeting, NULL);
    printf("greeting: %s\n", greeting);
    printf("page-size: %d\n", (int)hoist_client_int64(client, "page-size", user, 12, NULL));

    hoist_detail *detail = NULL;
    hoist_client_evaluate(client, "banner", user, &detail);
    printf("banner: %s %s (%s)\n", hoist_detail_variation(detail), hoist_detail_value(detail),
           hoist_detail_reason(detail));
    hoist_detail_free(detail);

    hoist_client_bool(client, "no-such-flag", user, false, &detail);
    printf("no-such-flag: %s, %s\n", hoist_detail_error_code(detail), hoist_detail_error_message(detail));
    hoist_detail_free(detail);

    hoist_context_free(user);
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}

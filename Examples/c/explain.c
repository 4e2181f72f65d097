/* Why is a flag on or off for somebody? Prints each step of the evaluation as JSON. */
#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s FEATURES.json FLAG CONTEXT-JSON\n", argv[0]);
        return 2;
    }
    hoist_error *error = NULL;
    hoist_config *config = hoist_config_new("unleash");
    hoist_config_set(config, "mode", "backend", &error);
    hoist_config_set(config, "online", "false", &error);
    hoist_config_set(config, "bootstrap.file", argv[1], &error);
    hoist_client *client = NULL;
    hoist_context *context = NULL;
    size_t length = 0;
    while (argv[3][length]) length++;
    if (hoist_client_open(config, &client, &error) != HOIST_OK ||
        !(context = hoist_context_from_json(argv[3], length, &error))) {
        fprintf(stderr, "%s\n", hoist_error_message(error));
        return EXIT_FAILURE;
    }
    hoist_client_wait_ready(client, 1000);
    hoist_detail *detail = NULL;
    hoist_client_explain(client, argv[2], context, &detail);
    hoist_text *json = hoist_detail_to_json(detail);
    puts(hoist_text_data(json));

    hoist_text_free(json);
    hoist_detail_free(detail);
    hoist_context_free(context);
    hoist_config_free(config);
    hoist_client_close(client, 0);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}

/* A program that knows nothing of its service but a name and a file: load_provider OBJECT NAME [PROPERTY VALUE]…
 * Prints every flag, with how it was decided. */
#include "common.h"

int main(int argc, char **argv) {
    if (argc < 3 || argc % 2 == 0) {
        fputs("usage: load_provider OBJECT NAME [PROPERTY VALUE]...\n", stderr);
        return 2;
    }
    hoist_error *error = NULL;
    hoist_config *config = hoist_config_new(argv[2]);
    must(hoist_config_load_plugin(config, argv[1], NULL, &error), "load_plugin", &error);
    set(config, "store", "none");
    for (int index = 3; index < argc; index += 2) set(config, argv[index], argv[index + 1]);
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    hoist_text *flags = hoist_client_all_flags(client, NULL);
    puts(hoist_text_data(flags));
    hoist_text_free(flags);
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}

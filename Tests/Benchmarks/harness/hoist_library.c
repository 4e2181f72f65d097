#include "hoist_library.h"
#include "subject.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LINES = 128, READY_MS = 20000 };

/* The lines of ../clients.tsv: what for, provider, name and value of a property. */
static struct { const char *purpose, *provider, *name, *value; } lines[MAX_LINES];
static size_t line_count;

void hoist_set_clients(const char *table, const char *server)
{
    char *text = read_file("", table, NULL);
    size_t count = count_lines(text);
    for (line_count = 0; line_count < count && line_count < MAX_LINES; line_count++) {
        const char *fields[4];
        text = next_line(text, fields);
        lines[line_count].purpose = fields[0];
        lines[line_count].provider = fields[1];
        lines[line_count].name = fields[2];
        lines[line_count].value = strcmp(fields[3], "SERVER") ? fields[3] : server;
    }
}

const hoist_library *hoist_load(const char *path)
{
    static hoist_library api;
    if (api.hoist_status_name) return &api;
    void *library = library_open(path);
#define X(name) api.name = (__typeof__(&name))library_symbol(library, #name);
    HOIST_CALLS(X)
#undef X
    return &api;
}

/** An opened client, ready; or NULL with the reason in `why`. `place`: its URL, or the folder of its store. */
static hoist_client *open_client(const hoist_library *library, const char *purpose, const char *provider,
                                 const char *file, const char *place, char why[256])
{
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    hoist_config *config = library->hoist_config_new(provider);
    hoist_status status = HOIST_OK;
    for (size_t i = 0; i < line_count && status == HOIST_OK; i++) {
        if (strcmp(lines[i].purpose, purpose) || strcmp(lines[i].provider, provider)) continue;
        const char *value = lines[i].value;
        if (!strcmp(value, "FILE")) value = file;
        else if (!strcmp(value, "URL") || !strcmp(value, "STORE")) value = place;
        status = library->hoist_config_set(config, lines[i].name, value, &error);
    }
    if (status == HOIST_OK) status = library->hoist_client_open(config, &client, &error);
    library->hoist_config_free(config);
    if (status == HOIST_OK && (status = library->hoist_client_wait_ready(client, READY_MS)) == HOIST_OK) return client;
    snprintf(why, 256, "%s: %s %s", provider, library->hoist_status_name(status),
             error ? library->hoist_error_message(error) : "");
    library->hoist_client_free(client);
    return NULL;
}

/** The same; ends the process without one. */
static hoist_client *need_client(const hoist_library *library, const char *purpose, const char *provider,
                                 const char *file, const char *place)
{
    char why[256];
    hoist_client *client = open_client(library, purpose, provider, file, place, why);
    if (!client) die("hoist, %s: %s", file ? file : place, why);
    return client;
}

/** One that reads `folder`/`name`. */
static hoist_client *need_reader(const hoist_library *library, const char *purpose, const char *provider,
                                 const char *folder, const char *name, const char *store)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return need_client(library, purpose, provider, path, store);
}

hoist_client *hoist_open_file(const hoist_library *library, const char *folder)
{
    return need_reader(library, "offline", "unleash", folder, "unleash.json", NULL);
}

hoist_client *hoist_open_datafile(const hoist_library *library, const char *folder, const char *name)
{
    return need_reader(library, "track", "optimizely", folder, name, NULL);
}

hoist_client *hoist_open_url(const hoist_library *library, const char *url)
{
    return need_client(library, "online", "unleash", NULL, url);
}

hoist_client *hoist_open_polling(const hoist_library *library, const char *url, size_t flag_count)
{
    char address[512];
    snprintf(address, sizeof address, "%s/launchdarkly/%zu", url, flag_count);
    return need_client(library, "poll", "launchdarkly", NULL, address);
}

hoist_client *hoist_open_rules(const hoist_library *library, const char *url, size_t flag_count)
{
    char address[512];
    snprintf(address, sizeof address, "%s/launchdarkly-server/%zu", url, flag_count);
    return need_client(library, "rules, poll", "launchdarkly", NULL, address);
}

hoist_client *hoist_open_rules_file(const hoist_library *library, const char *folder)
{
    return need_reader(library, "rules", "launchdarkly", folder, "launchdarkly-rules.json", NULL);
}

hoist_client *hoist_open_rules_stream(const hoist_library *library, const char *url)
{
    return need_client(library, "rules, stream", "launchdarkly", NULL, url);
}

hoist_client *hoist_open_stream(const hoist_library *library, const char *url)
{
    return need_client(library, "stream", "launchdarkly", NULL, url);
}

hoist_client *hoist_open_campaigns(
    const hoist_library *library, const char *purpose, const char *folder, const char *store)
{
    return need_reader(library, purpose, "flagship", folder, "flagship.json", store);
}

hoist_client *hoist_open_site(const hoist_library *library, const char *folder)
{
    return need_reader(library, "visitors", "kameleoon", folder, "kameleoon.json", NULL);
}

hoist_client *hoist_open_tracking(const hoist_library *library, const char *folder, char why[256])
{
    const char *tried = "";
    snprintf(why, 256, "no provider is configured for it");
    for (size_t i = 0; i < line_count; i++) {
        if (strcmp(lines[i].purpose, "track") || !strcmp(lines[i].provider, tried)) continue;
        tried = lines[i].provider;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.json", folder, tried);
        hoist_client *client = open_client(library, "track", tried, path, NULL, why);
        if (!client) continue;
        hoist_status status = library->hoist_client_track(client, "probe", NULL, NULL);
        if (status == HOIST_OK) return client;
        snprintf(why, 256, "%s: %s", tried, library->hoist_status_name(status));
        library->hoist_client_free(client);
    }
    return NULL;
}

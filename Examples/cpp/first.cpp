// The first program in C++: handles free themselves.
//
//   c++ -std=c++17 first.cpp $(pkg-config --cflags --libs hoist) -o first && ./first features.json
#include <hoist/hoist.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

// One deleter for each kind of handle; none of them minds NULL.
struct Free {
    void operator()(hoist_error *error) const { hoist_error_free(error); }
    void operator()(hoist_config *config) const { hoist_config_free(config); }
    void operator()(hoist_client *client) const { hoist_client_free(client); }
    void operator()(hoist_context *context) const { hoist_context_free(context); }
    void operator()(hoist_detail *detail) const { hoist_detail_free(detail); }
};
template <class Handle> using owned = std::unique_ptr<Handle, Free>;

static void set(hoist_config *config, const char *name, const std::string &value) {
    hoist_error *error = nullptr;
    if (hoist_config_set(config, name, value.c_str(), &error) != HOIST_OK) {
        const owned<hoist_error> kept(error);
        throw std::runtime_error(hoist_error_message(error));
    }
}

static owned<hoist_client> open(const hoist_config *config) {
    hoist_client *client = nullptr;
    hoist_error *error = nullptr;
    if (hoist_client_open(config, &client, &error) != HOIST_OK) {
        const owned<hoist_error> kept(error);
        throw std::runtime_error(hoist_error_message(error));
    }
    return owned<hoist_client>(client);
}

int main(int argc, char **argv) try {
    const owned<hoist_config> config(hoist_config_new("unleash"));
    set(config.get(), "mode", "backend");
    set(config.get(), "online", "false");
    set(config.get(), "bootstrap.file", argc > 1 ? argv[1] : "features.json");
    const auto client = open(config.get());
    hoist_client_wait_ready(client.get(), 1000);

    const owned<hoist_context> user(hoist_context_new("user-42"));
    hoist_context_set_string(user.get(), "country", "NO");
    hoist_context_set_string(user.get(), "plan", "pro");
    hoist_context_set_int64(user.get(), "age", 30);

    const bool checkout = hoist_client_bool(client.get(), "new-checkout", user.get(), false, nullptr);
    std::cout << "new-checkout is " << (checkout ? "on" : "off") << '\n';

    std::array<char, 64> greeting{};
    hoist_client_string(client.get(), "greeting", user.get(), "Hello", greeting.data(), greeting.size(), nullptr);
    std::cout << "greeting: " << greeting.data() << '\n';

    hoist_detail *detail = nullptr;
    hoist_client_evaluate(client.get(), "banner", user.get(), &detail);
    const owned<hoist_detail> banner(detail);
    std::cout << "banner: " << hoist_detail_variation(detail) << ' ' << hoist_detail_value(detail) << '\n';

    hoist_client_close(client.get(), 1000);
} catch (const std::exception &problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}

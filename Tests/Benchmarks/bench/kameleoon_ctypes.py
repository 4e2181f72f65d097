"""Hoist's visitors of Kameleoon through ctypes: what the calls of the library cost, without a package around them."""

import ctypes
import json


class Visitor(ctypes.c_void_p):
    """Let go of with its object, as the package's are."""

    free = None

    def __del__(self):
        Visitor.free(self)


class Hoist:
    name = "Hoist, ctypes"

    def __init__(self, given):
        self.library = library = ctypes.CDLL(given.hoist)
        pointer, text, truth, status = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool, ctypes.c_int32
        size, whole, real = ctypes.c_size_t, ctypes.c_int64, ctypes.c_double
        for name, result, arguments in [
            ("config_new", pointer, [text]), ("config_set", status, [pointer, text, text, pointer]),
            ("client_open", status, [pointer] * 3), ("client_wait_ready", status, [pointer, whole]),
            ("client_statistics", pointer, [pointer]), ("text_data", text, [pointer]), ("text_free", None, [pointer]),
            ("kameleoon_visitor_new", status, [pointer, text, pointer, pointer]), ("kameleoon_visitor_free", None, [pointer]),
            ("kameleoon_custom_data", pointer, [whole, pointer, size]), ("kameleoon_data_free", None, [pointer]),
            ("kameleoon_visitor_add_data", status, [pointer, pointer, size, truth]),
            ("kameleoon_visitor_track_conversion", status, [pointer, whole, real, truth, pointer, size]),
            ("kameleoon_visitor_variation", status, [pointer, text, truth, pointer]),
            ("kameleoon_variation_key", text, [pointer]), ("kameleoon_variation_free", None, [pointer]),
            ("kameleoon_variation_variable_at", pointer, [pointer, size]), ("kameleoon_variable_json", text, [pointer]),
            ("kameleoon_visitor_variations", status, [pointer, truth, truth, pointer]),
            ("kameleoon_variations_count", size, [pointer]), ("kameleoon_variations_at", pointer, [pointer, size]),
            ("kameleoon_variations_free", None, [pointer]),
        ]:
            function = getattr(library, f"hoist_{name}")
            function.restype, function.argtypes = result, arguments
        Visitor.free = library.hoist_kameleoon_visitor_free
        self.client = self._open(given)

    def _open(self, given):
        config, client = self.library.hoist_config_new(b"kameleoon"), ctypes.c_void_p()
        for line in open(given.clients):
            purpose, provider, name, value = line.rstrip("\n").split("\t")
            if (purpose, provider) == ("visitors", "kameleoon"):
                value = f"{given.folder}/kameleoon.json" if value == "FILE" else value
                self._expect(self.library.hoist_config_set(config, name.encode(), value.encode(), None))
        self._expect(self.library.hoist_client_open(config, ctypes.byref(client), None))
        self._expect(self.library.hoist_client_wait_ready(client, 20000))
        return client

    @staticmethod
    def _expect(status):
        if status:
            raise SystemExit(f"Hoist: status {status}")

    def _add(self, visitor, index, value, tracked):
        values = (ctypes.c_char_p * 1)(value.encode())
        datum = ctypes.c_void_p(self.library.hoist_kameleoon_custom_data(index, values, 1))
        self._expect(self.library.hoist_kameleoon_visitor_add_data(visitor, ctypes.byref(datum), 1, tracked))
        self.library.hoist_kameleoon_data_free(datum)

    def visitor(self, code, values):
        visitor = Visitor()
        self._expect(self.library.hoist_kameleoon_visitor_new(self.client, code.encode(), ctypes.byref(visitor), None))
        for index, value in enumerate(values):
            self._add(visitor, index, value, False)
        return visitor

    def decide_of(self, visitor, tracked):
        library, variation = self.library, ctypes.c_void_p()
        get, place, read = library.hoist_kameleoon_visitor_variation, ctypes.byref(variation), json.loads
        key_of, free = library.hoist_kameleoon_variation_key, library.hoist_kameleoon_variation_free
        variable_at, value_of = library.hoist_kameleoon_variation_variable_at, library.hoist_kameleoon_variable_json

        def decide(key):
            self._expect(get(visitor, key.encode(), tracked, place))
            found = key_of(variation).decode(), read(value_of(variable_at(variation, 0)))
            free(variation)
            return found

        return decide

    def decide_all_of(self, visitor, tracked):
        library, all_of_them = self.library, ctypes.c_void_p()
        get, place = library.hoist_kameleoon_visitor_variations, ctypes.byref(all_of_them)
        count_of, at = library.hoist_kameleoon_variations_count, library.hoist_kameleoon_variations_at
        key_of, free = library.hoist_kameleoon_variation_key, library.hoist_kameleoon_variations_free

        def decide_all():
            self._expect(get(visitor, False, tracked, place))
            found = [key_of(at(all_of_them, index)).decode() for index in range(count_of(all_of_them))]
            free(all_of_them)
            return found

        return decide_all

    def tell_of(self, visitor):
        track = self.library.hoist_kameleoon_visitor_track_conversion

        def tell(plan):
            self._add(visitor, 1, plan, True)
            self._expect(track(visitor, 17, 19.5, False, None, 0))

        return tell

    def check(self, tracked):
        """An event for which there is no room would be quick for the wrong reason."""
        text = self.library.hoist_client_statistics(self.client)
        counters = json.loads(self.library.hoist_text_data(text))["tracking"]
        self.library.hoist_text_free(text)
        if counters["dropped"] or (counters["recorded"] > 0) != tracked:
            raise SystemExit(f"Hoist: events: {counters}")

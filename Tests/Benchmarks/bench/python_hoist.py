"""Hoist through ctypes, the barest binding there is; and the yardsticks of the interpreter."""

import ctypes
import json


class Floor:
    """A ctypes call with the key encoded per call, into a C function that does nothing."""

    name = "ctypes, empty call"

    def __init__(self, given, users):
        self.call = ctypes.CDLL(None).labs
        self.call.argtypes = [ctypes.c_void_p]

    def prepare(self, kind, pairs):
        call, keys = self.call, [key for key, _ in pairs]

        def loop():
            for key in keys:
                call(key.encode())

        return None, loop


class Hoist:
    name = "Hoist"
    provider, purpose = "unleash", "offline"

    def __init__(self, given, users):
        self.library = library = ctypes.CDLL(given.hoist)
        pointer, text, truth, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool, ctypes.c_size_t
        for name, result, arguments in [
            ("hoist_config_new", pointer, [text]), ("hoist_config_set", ctypes.c_int32, [pointer, text, text, pointer]),
            ("hoist_client_open", ctypes.c_int32, [pointer, pointer, pointer]),
            ("hoist_client_wait_ready", ctypes.c_int32, [pointer, ctypes.c_int64]),
            ("hoist_context_new", pointer, [text]), ("hoist_context_set_string", ctypes.c_int32, [pointer, text, text]),
            ("hoist_client_bool", truth, [pointer, text, pointer, truth, pointer]),
            ("hoist_view_new", pointer, [pointer, pointer]), ("hoist_view_json", text, [pointer, text, text, pointer]),
        ]:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self.client = self._open(given)
        self.contexts = [self._context(user) for user in users]
        self.views = [library.hoist_view_new(self.client, context) for context in self.contexts]

    def _open(self, given):
        config, client = self.library.hoist_config_new(self.provider.encode()), ctypes.c_void_p()
        for line in open(given.clients):
            purpose, provider, name, value = line.rstrip("\n").split("\t")
            value = {"FILE": f"{given.folder}/unleash.json", "URL": self._place(given)}.get(value, value)
            if (purpose, provider) == (self.purpose, self.provider) and self.library.hoist_config_set(config, name.encode(), value.encode(), None):
                raise SystemExit(f"Hoist: property {name} refused")
        if self.library.hoist_client_open(config, ctypes.byref(client), None):
            raise SystemExit("Hoist: not opened")
        if self.library.hoist_client_wait_ready(client, 20000):
            raise SystemExit("Hoist: not ready")
        return client

    def _place(self, given):
        return f"{given.url}/launchdarkly/1000"

    def _context(self, user):
        context = self.library.hoist_context_new(user[0].encode())
        for name, value in zip((b"country", b"plan", b"age"), user[1:]):
            self.library.hoist_context_set_string(context, name, value.encode())
        return context

    def prepare(self, kind, pairs):
        client, is_on, read = self.client, self.library.hoist_client_bool, self.library.hoist_view_json
        handles = self.views if kind == "vari" else self.contexts
        arguments = [(key, handles[user]) for key, user in pairs]

        def ask(index):
            key, handle = arguments[index]
            if kind == "vari":
                return json.loads(read(handle, key.encode(), b"null", None))["variant"]
            return is_on(client, key.encode(), handle, False, None)

        def loop_bool():
            for key, context in arguments:
                is_on(client, key.encode(), context, False, None)

        def loop_json():
            for key, view in arguments:
                read(view, key.encode(), None, None)

        return ask, loop_json if kind == "vari" else loop_bool


class HoistLaunchDarkly(Hoist):
    """The client's one context, whoever the user is."""

    provider, purpose = "launchdarkly", "poll"

    def __init__(self, given, users):
        super().__init__(given, users[:1])
        view = self.library.hoist_view_new(self.client, None)
        self.contexts, self.views = [None] * len(users), [view] * len(users)

"""Unleash's engine as a black box: the C interface of the package yggdrasil-engine."""
import ctypes
import glob
import json
import os

import yggdrasil_engine


class Engine:
    """The engine's C interface."""

    library = None

    def __init__(self):
        if Engine.library is None:
            folder = os.path.join(os.path.dirname(yggdrasil_engine.__file__), "lib")
            Engine.library = library = ctypes.CDLL(glob.glob(os.path.join(folder, "*.so"))[0])
            pointer, text = ctypes.c_void_p, ctypes.c_char_p
            for name, arguments in {
                "new_engine": [],
                "free_engine": [pointer],
                "free_response": [pointer],
                "take_state": [pointer, text],
                "check_enabled": [pointer, text, text, text],
                "check_variant": [pointer, text, text, text],
                "should_emit_impression_event": [pointer, text],
                "list_known_toggles": [pointer],
                "get_state": [pointer],
            }.items():
                function = getattr(library, name)
                function.argtypes, function.restype = arguments, pointer
            library.free_engine.restype = library.free_response.restype = None
        self.engine = Engine.library.new_engine()

    def __del__(self):
        Engine.library.free_engine(self.engine)

    def ask(self, function, *arguments):
        encoded = [a.encode() if isinstance(a, str) else json.dumps(a).encode() for a in arguments]
        pointer = getattr(Engine.library, function)(self.engine, *encoded)
        answer = json.loads(ctypes.string_at(pointer))
        Engine.library.free_response(pointer)
        return answer

    def take(self, document):
        """ok, warning or error."""
        answer = self.ask("take_state", document)
        if answer["status_code"] == "Ok":
            return "ok"
        return "warning" if "warnings were reported" in (answer["error_message"] or "") else "error"

    def evaluate(self, toggle, context, custom=None):
        enabled = self.ask("check_enabled", toggle, context, custom or {})
        variant = self.ask("check_variant", toggle, context, custom or {})
        impression = self.ask("should_emit_impression_event", toggle)
        assert "panick" not in (variant["error_message"] or ""), (toggle, context)
        value = variant["value"] or {"name": "disabled", "enabled": False, "featureEnabled": False}
        value = {
            "name": value["name"],
            "enabled": value["enabled"],
            "featureEnabled": value.get("featureEnabled", value.get("feature_enabled", False)),
            **({"payload": value["payload"]} if value.get("payload") else {}),
        }
        return {
            "enabled": bool(enabled["value"]),
            "found": enabled["value"] is not None,
            "variant": value,
            "impressionData": bool(impression["value"]),
        }

    def known(self):
        return sorted(toggle["name"] for toggle in self.ask("list_known_toggles")["value"])

    def segments(self):
        return sorted(segment["id"] for segment in self.ask("get_state")["value"].get("segments") or [])

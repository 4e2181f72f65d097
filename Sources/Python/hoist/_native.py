"""The library as cffi sees it: `ffi` and `lib`, and functions of Python that C can call.

There are two ways in. The compiled module is what an installation has. The plain one reads the
same declarations when it is imported and needs no compiler; it is for development.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
from collections.abc import Callable
from typing import Any

CFunction = Any
"""A pointer to a function, as cffi has it."""


class Compiled:
    """The module that was compiled against the headers."""

    name = "compiled"
    has_gate = True

    def __init__(self) -> None:
        module = importlib.import_module("hoist._compiled")
        self.ffi: Any = module.ffi
        self.lib: Any = module.lib
        self.lib.hoist_gate_open()
        # A second module in the same file, which the usual search does not find.
        loader = importlib.machinery.ExtensionFileLoader("hoist._calls", str(module.__file__))
        spec = importlib.util.spec_from_loader("hoist._calls", loader)
        self.calls: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        loader.exec_module(self.calls)
        self.calls.use("pointer_type", self.ffi.typeof("void *"))

    def c_function(self, table: str, member: str, function: Callable[..., Any]) -> CFunction:
        name = f"{table}_{member}" if member else table
        self.ffi.def_extern(name=f"hoist_python_{name}")(function)
        return self.ffi.addressof(self.lib, f"hoist_gate_{name}")

    def close_gate(self) -> None:
        """No call of the library's enters Python any more."""
        self.lib.hoist_gate_close()


class Plain:
    """The declarations read now, over the library as it is found now."""

    name = "plain"
    has_gate = False
    calls: Any = None

    def __init__(self) -> None:
        plain = importlib.import_module("hoist._plain")
        self.ffi: Any
        self.lib: Any
        self.ffi, self.lib = plain.load()
        self._functions: list[CFunction] = []
        self._is_left = False
        self._gc = self.ffi.gc
        self.ffi.gc = self._gc_until_left

    def c_function(self, table: str, member: str, function: Callable[..., Any]) -> CFunction:
        kind = self.ffi.typeof(f"hoist_{table}")
        if member:
            kind = dict(kind.fields)[member].type
        pointer = self.ffi.callback(kind, function)
        self._functions.append(pointer)
        return pointer

    def close_gate(self) -> None:
        """Only the compiled module has gates. Here nothing is freed any more: the library would release what it was given."""
        self._is_left = True

    def _gc_until_left(self, pointer: Any, free: Callable[[Any], object]) -> Any:
        return self._gc(pointer, lambda freed: None if self._is_left else free(freed))


def _choose() -> Compiled | Plain:
    if os.environ.get("HOIST_PYTHON_MODE") == "abi":
        return Plain()
    try:
        return Compiled()
    except ModuleNotFoundError as missing:
        if missing.name != "hoist._compiled":
            raise
        return Plain()
    except ImportError as broken:
        raise ImportError(f"the compiled part of hoist does not find its library: {broken}") from broken


native = _choose()
ffi: Any = native.ffi
lib: Any = native.lib
NULL: Any = ffi.NULL


def use(**lent: object) -> Any:
    """Lends the compiled calls what they work with, and answers them; None where there are none."""
    for name, value in lent.items() if native.calls else ():
        native.calls.use(name, value)
    return native.calls

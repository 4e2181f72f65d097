"""Generates what lets C call Python: one function per member of every plug-in table.

Read off the declarations, so that a new member or table needs nothing here. Each member becomes
- `hoist_python_TABLE_MEMBER`, which cffi implements by a Python function, and
- `hoist_gate_TABLE_MEMBER`, its entrance in C, whose address goes into the table.

The gate is there for the end of the interpreter. Once it is closed no call enters Python, and a
thread of Hoist's that is inside Python by then, and which Python would end by unwinding its stack,
is held until the process is gone, so that nothing unwinds through the library's frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import cffi


class Callback(NamedTuple):
    """A function that C calls: `name` is TABLE_MEMBER, or the name of a callback type."""

    name: str
    type: Any

    def declaration(self, prefix: str) -> str:
        """Its declaration in C, under a name of ours."""
        arguments = ", ".join(f"{kind.cname} a{index}" for index, kind in enumerate(self.type.args))
        return f"{self.type.result.cname} {prefix}_{self.name}({arguments or 'void'})"


def callbacks(ffi: cffi.FFI) -> Iterator[Callback]:
    """Every function type in the declarations that the library calls."""
    typedefs, _, _ = ffi.list_types()
    for typedef in typedefs:
        kind = ffi.typeof(typedef)
        name = typedef.removeprefix("hoist_")
        if kind.kind == "function":
            yield Callback(name, kind)
        elif kind.kind == "struct" and kind.fields and "user_data" in dict(kind.fields):
            for member, field in kind.fields:
                if field.type.kind == "function":
                    yield Callback(f"{name}_{member}", field.type)


def python_declarations(found: list[Callback]) -> str:
    """For cffi: the functions that Python implements, their gates, the key of the gate."""
    lines = ["void hoist_gate_close(void);", "void hoist_gate_open(void);"]
    for callback in found:
        lines.append(f'extern "Python" {callback.declaration("hoist_python")};')
        lines.append(f"{callback.declaration('hoist_gate')};")
    return "\n".join(lines) + "\n"


def c_source(found: list[Callback]) -> str:
    """For the C compiler: the gates."""
    return _PREAMBLE + "".join(_gate(callback) for callback in found)


def _gate(callback: Callback) -> str:
    names = ", ".join(f"a{index}" for index in range(len(callback.type.args)))
    result = callback.type.result
    python = f"hoist_python_{callback.name}({names})"
    returns = result.kind != "void"
    return f"""
static {callback.declaration("hoist_python")};
static {callback.declaration("hoist_gate")}
{{
    {f"{result.cname} result;" if returns else ""}
    if (__atomic_load_n(&hoist_gate_is_closed, __ATOMIC_ACQUIRE)) return {_refusal(result) if returns else ""};
    pthread_cleanup_push(hoist_gate_hold, NULL);
    {"result = " if returns else ""}{python};
    pthread_cleanup_pop(0);
    {"return result;" if returns else ""}
}}
"""


def _refusal(result: Any) -> str:
    # Every int32_t that a callback returns is a hoist_status.
    return "HOIST_ERR_CANCELLED" if result.cname == "int32_t" else "0"


_PREAMBLE = """
#include <pthread.h>
#include <unistd.h>

static int hoist_gate_is_closed;
static void hoist_gate_close(void) { __atomic_store_n(&hoist_gate_is_closed, 1, __ATOMIC_RELEASE); }
static void hoist_gate_open(void) { __atomic_store_n(&hoist_gate_is_closed, 0, __ATOMIC_RELEASE); }

/* Runs when Python ends the thread. */
static void hoist_gate_hold(void *unused)
{
    (void)unused;
    for (;;) pause();
}
"""

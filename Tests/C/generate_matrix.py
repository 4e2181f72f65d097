#!/usr/bin/env python3
"""Writes the bad-argument matrix (G8): a C program that calls every function of the public headers
with every bad value of every parameter. See matrix.h for the values and the verdicts.

    generate_matrix.py OUTPUT.c
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Headers"))
from declarations import Interface, read_headers  # noqa: E402
from matrix_generator.axes import AxisMaker  # noqa: E402
from matrix_generator.functions import FunctionWriter  # noqa: E402
from matrix_generator.tables import stub, write_list, write_table  # noqa: E402
from declarations import Callback, Function, Interface, Member, Parameter, read_headers  # noqa: E402

# How a living object of a handle type comes to be. Types that appear only inside callbacks have
# none: their functions meet NULL here, and living objects in the plug-in tests.
MAKERS = {
    "hoist_config": ["host_config()", 'hoist_config_new("nobody")'],
    "hoist_client": ["host_client()", "closed_client()"],
    "hoist_context": ['hoist_context_new("user")', "hoist_context_new(NULL)"],
    "hoist_error": ["some_error()"],
    "hoist_text": ['hoist_config_describe("unleash")'],
    "hoist_detail": ["some_detail()"],
    "hoist_view": ["some_view()", "hoist_view_new(NULL, NULL)"],
    "hoist_unleash_variant": ["some_variant()"],
    "hoist_unleash_bootstrap": ["hoist_unleash_bootstrap_new()"],
    "hoist_optimizely_user": ["some_user()", "orphaned_user()"],
    "hoist_optimizely_decision": ["some_decision()", "decision_of_nothing()"],
    "hoist_optimizely_decisions": ["some_decisions()"],
}

# The same for the functions of one service, where a client of another would only be refused.
SERVICE_MAKERS = {
    "hoist_optimizely_": {
        "hoist_config": ["host_optimizely_config()", 'hoist_config_new("nobody")'],
        "hoist_client": ["host_optimizely_client()", "host_client()", "closed_optimizely_client()"],
    },
}

# Functions for which NULL as the object is documented to be no failure.
NULL_IS_SUCCESS = {"hoist_error_status", "hoist_notification_status", "hoist_unleash_last_error"}

# The good value of a text, by function and parameter, by parameter, or else "on" (a flag's key).
GOOD_TEXTS = {
    ("hoist_config_set", "name"): '"url"',
    ("hoist_config_get", "name"): '"url"',
    ("hoist_config_set", "value"): "HOST_DEAD_URL",
    ("hoist_config_set_json", "json"): '"{\\"key\\":\\"k\\"}"',
    ("hoist_client_json", "fallback"): '"[1]"',
    ("hoist_optimizely_decision_value", "path"): '"color"',
    ("hoist_optimizely_decision_value_jansson", "path"): '"color"',
    "identifiers_json": '"{\\"email\\":\\"a@b\\"}"',
    "data_json": '"{\\"n\\":1}"',
    "experiment_key": '"test"',
    "event_key": '"buy"',
    "variable": '"color"',
    "variable_key": '"color"',
    "variation_key": '"blue"',
    ("hoist_config_load_plugin", "path"): "MATRIX_PLUGIN",
    ("hoist_plugin_describe", "path"): "MATRIX_PLUGIN",
    ("hoist_plugin_describe_jansson", "path"): "MATRIX_PLUGIN",
    ("hoist_optimizely_start_with_datafile", "datafile"): "HOST_DATAFILE",
    ("hoist_optimizely_save_datafile", "datafile"): "HOST_DATAFILE",
    "path": '"/dev/null"',
    "provider": '"unleash"',
    "json": '"{\\"a\\":1}"',
    "fallback": '"fallback"',
}

# Structs that a call takes over: they end with a member `release`.
RELEASE = "release"
LENGTH_NAMES = ("length", "size", "count")
HIGHEST = {"int64_t": "INT64_MAX", "int32_t": "INT32_MAX", "int": "INT32_MAX"}
HIGHEST_UNSIGNED = {"uint64_t": "UINT64_MAX", "uint32_t": "UINT32_MAX", "size_t": "SIZE_MAX"}

PRELUDE = """
static hoist_client *closed_client(void) {
  hoist_client *client = host_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static hoist_client *closed_optimizely_client(void) {
  hoist_client *client = host_optimizely_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static hoist_error *some_error(void) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new("unleash");
  (void)hoist_config_set(config, "no such property", "", &error);
  hoist_config_free(config);
  return error;
}

static hoist_detail *some_detail(void) {
  hoist_client *client = host_client();
  hoist_detail *detail = NULL;
  (void)hoist_client_evaluate(client, "on", NULL, &detail);
  hoist_client_free(client);
  return detail;
}

static hoist_view *some_view(void) {
  hoist_client *client = host_client();
  hoist_view *view = hoist_view_new(client, NULL);
  hoist_client_free(client);
  return view;
}

static hoist_optimizely_user *some_user(void) {
  static hoist_client *client;
  if (!client) client = host_optimizely_client();
  return hoist_optimizely_user_new(client, "user", NULL);
}

static hoist_optimizely_user *orphaned_user(void) {
  hoist_client *client = host_optimizely_client();
  hoist_optimizely_user *user = hoist_optimizely_user_new(client, "", NULL);
  hoist_client_free(client);
  return user;
}

static hoist_optimizely_decision *some_decision(void) {
  hoist_optimizely_user *user = some_user();
  hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, "on", HOIST_OPTIMIZELY_INCLUDE_REASONS);
  hoist_optimizely_user_free(user);
  return decision;
}

static hoist_optimizely_decision *decision_of_nothing(void) {
  hoist_optimizely_user *user = orphaned_user();
  hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, "on", 0);
  hoist_optimizely_user_free(user);
  return decision;
}

static hoist_optimizely_decisions *some_decisions(void) {
  hoist_optimizely_user *user = some_user();
  hoist_optimizely_decisions *decisions = hoist_optimizely_user_decide_all(user, 0);
  hoist_optimizely_user_free(user);
  return decisions;
}

static hoist_unleash_variant *some_variant(void) {
  hoist_client *client = host_client();
  hoist_unleash_variant *variant = hoist_unleash_check_variant(client, "on", NULL);
  hoist_client_free(client);
  return variant;
}
"""


class GenerationError(Exception):
    """A declaration that no rule here covers."""


@dataclass
class Axis:
    """One parameter, or a pointer with its length: its values and what surrounds the call."""

    name: str
    count: str
    arguments: list[str]
    label: str = '"?"'
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    must_fail: str | None = None
    is_null: str | None = None
    is_bad_text: str | None = None


class FunctionWriter:
    def __init__(self, function: Function, interface: Interface) -> None:
        self.function = function
        self.interface = interface
        self.returns_status = self.scalar(function.result.base) == "int32_t" and function.result.base == "hoist_status"
        self.error: str | None = None
        self.untried: set[str] = set()
        self.axes = self.make_axes()

    def scalar(self, base: str) -> str:
        while base in self.interface.scalars:
            base = self.interface.scalars[base]
        return base

    def good_text(self, name: str) -> str:
        return GOOD_TEXTS.get((self.function.name, name), GOOD_TEXTS.get(name, '"on"'))

    def make_axes(self) -> list[Axis]:
        parameters = list(self.function.parameters)
        axes: list[Axis] = []
        index = 0
        while index < len(parameters):
            following = parameters[index + 1] if index + 1 < len(parameters) else None
            number = len(axes)
            if following is not None and self.is_length(parameters[index], following):
                axes.append(self.pair(parameters[index], number))
                index += 2
            else:
                axes.append(self.single(parameters[index], number))
                index += 1
        return axes

    @staticmethod
    def is_length(pointer: Parameter, length: Parameter) -> bool:
        return (pointer.type.depth > 0 and str(length.type) == "size_t"
                and any(length.name == word or length.name.endswith("_" + word) for word in LENGTH_NAMES))

    def pair(self, parameter: Parameter, n: int) -> Axis:
        type_, name, v = parameter.type, parameter.name, f"v{n}"
        if type_.depth == 2 and type_.base == "char":
            return Axis(name, "MATRIX_LIST_COUNT", [f"{v}.items", f"{v}.count"], f"{v}.label",
                        [f"matrix_list {v} = matrix_list_of(walk.picks[{n}]);"], must_fail=f"{v}.is_invalid_utf8")
        if type_.depth == 1 and type_.base in ("char", "void") and type_.is_const:
            fails = f"{v}.is_invalid_utf8" if type_.base == "char" else None
            return Axis(name, "MATRIX_SIZED_COUNT", [f"{v}.bytes", f"{v}.size"], f"{v}.label",
                        [f"matrix_bytes {v} = matrix_sized(walk.picks[{n}], {self.good_text(name)});"], must_fail=fails)
        if type_.depth == 1 and type_.base == "char":
            return Axis(name, "MATRIX_BUFFER_COUNT", [f"{v}.bytes", f"{v}.size"], f"{v}.label",
                        [f"matrix_buffer {v} = matrix_buffer_of(walk.picks[{n}]);"],
                        [f"matrix_judge_buffer({v});"])
        if type_.depth == 1 and type_.base == "double":
            return Axis(name, "MATRIX_NUMBERS_COUNT", [f"{v}.items", f"{v}.count"], f"{v}.label",
                        [f"matrix_numbers {v} = matrix_numbers_of(walk.picks[{n}]);"])
        if type_.depth == 1 and type_.base in self.interface.structs:
            values = f"values_of_{type_.base}"
            return Axis(name, "5", [f"{v}.items", f"{v}.count"], f"{v}.label",
                        [f"{values} {v} = {values}_at(walk.picks[{n}]);"])
        raise GenerationError(f"{self.function.name}: no values for {type_} {name} with a length")

    def single(self, parameter: Parameter, n: int) -> Axis:
        type_, name, v = parameter.type, parameter.name, f"v{n}"
        base = self.scalar(type_.base)
        if type_.depth == 0:
            return self.plain(parameter, base, n)
        if type_.depth == 2:
            return self.out_handle(parameter, n)
        if type_.base == "char" and type_.is_const:
            return Axis(name, "MATRIX_TEXT_COUNT", [f"{v}.bytes"], f"{v}.label",
                        [f"matrix_bytes {v} = matrix_text(walk.picks[{n}], {self.good_text(name)});"],
                        must_fail=f"{v}.is_invalid_utf8", is_bad_text=f"({v}.is_invalid_utf8 || !{v}.bytes)")
        if type_.base == "void":
            return Axis(name, "2", [f"(walk.picks[{n}] ? NULL : (void *)&matrix_completions)"],
                        f'(walk.picks[{n}] ? "NULL" : "pointer")')
        if type_.base in self.interface.structs:
            return self.table(parameter, n)
        if type_.base in self.interface.opaque:
            return self.handle(parameter, n)
        if type_.base == "json_t":
            return Axis(name, "MATRIX_JSON_COUNT", [v], f"matrix_json_labels[walk.picks[{n}]]",
                        [f"json_t *{v} = matrix_json(walk.picks[{n}]);"], [f"json_decref({v});"],
                        must_fail=f"(!{v} || walk.picks[{n}] == MATRIX_JSON_DEEP)")
        if not type_.is_const:
            return Axis(name, "2", [f"(walk.picks[{n}] ? NULL : &{v})"], f'(walk.picks[{n}] ? "NULL" : "out")',
                        [f"{type_.base} {v};", f"memset(&{v}, 0x5a, sizeof {v});"])
        raise GenerationError(f"{self.function.name}: no values for {type_} {name}")

    def plain(self, parameter: Parameter, base: str, n: int) -> Axis:
        name, v, type_ = parameter.name, f"v{n}", parameter.type.base
        if type_ in self.interface.callbacks:
            label = f'({v} ? "function" : "NULL")'
            if type_ == "hoist_done":
                return Axis(name, "2", [v], label,
                            [f"hoist_done {v} = walk.picks[{n}] ? NULL : matrix_count_completion;"],
                            [f"if ({v} && result == HOIST_OK) matrix_owed_completions++;"])
            return Axis(name, "2", [v], label, [f"{type_} {v} = walk.picks[{n}] ? NULL : stub_{type_};"])
        if base == "bool":
            return Axis(name, "2", [v], f'({v} ? "true" : "false")', [f"bool {v} = walk.picks[{n}] != 0;"])
        if base == "double":
            return Axis(name, "MATRIX_DOUBLE_COUNT", [v], f"number_text({v})",
                        [f"double {v} = matrix_double(walk.picks[{n}]);"])
        if base in HIGHEST:
            if "timeout" in name:
                make, count = f"matrix_timeout(walk.picks[{n}])", "MATRIX_TIMEOUT_COUNT"
            else:
                lowest = HIGHEST[base].replace("MAX", "MIN")
                make = f"matrix_integer(walk.picks[{n}], {lowest}, {HIGHEST[base]})"
                count = "MATRIX_INTEGER_COUNT"
            return Axis(name, count, [v], f"number_text((double){v})", [f"{type_} {v} = ({type_}){make};"])
        if base in HIGHEST_UNSIGNED:
            make = f"matrix_unsigned(walk.picks[{n}], {HIGHEST_UNSIGNED[base]})"
            return Axis(name, "MATRIX_UNSIGNED_COUNT", [v], f"number_text((double){v})",
                        [f"{type_} {v} = ({type_}){make};"])
        raise GenerationError(f"{self.function.name}: no values for {type_} {name}")

    def out_handle(self, parameter: Parameter, n: int) -> Axis:
        name, v, base = parameter.name, f"v{n}", parameter.type.base
        if parameter.type.is_const or base not in self.interface.opaque:
            raise GenerationError(f"{self.function.name}: no values for {parameter.type} {name}")
        before = [f"{base} *{v} = ({base} *)&poison;", f"bool out{n} = walk.picks[{n}] == 0;"]
        after = [f"if (out{n} && (void *){v} == (void *)&poison) {{", f"  matrix_complain(\"{name} was not written\");",
                 f"  {v} = NULL;", "}"]
        if base == "hoist_error":
            status = "&result" if self.returns_status else "NULL"
            success = "result == HOIST_OK" if self.returns_status else "has_result"
            after.append(f"if (out{n}) matrix_judge_error({v}, {success}, {status});")
        else:
            if base == "hoist_detail":
                after.append(f"if (out{n} && {v} && {self.bad_key()}) matrix_judge_detail({v});")
            after.append(f"if (out{n}) {self.free(base)}({v});")
        label = f'(out{n} ? "out" : "NULL")'
        return Axis(name, "2", [f"(out{n} ? &{v} : NULL)"], label, before, after)

    def bad_key(self) -> str:
        """Whether the call was made with a key that no flag can have."""
        for position, parameter in enumerate(self.function.parameters):
            if parameter.name == "key":
                return f"(v{position}.is_invalid_utf8 || !v{position}.bytes)"
        return "false"

    def free(self, base: str) -> str:
        name = f"{base}_free"
        if name not in self.interface.functions:
            raise GenerationError(f"{self.function.name} hands out {base}, and there is no {name}")
        return name

    def makers(self, base: str) -> list[str]:
        for prefix, makers in SERVICE_MAKERS.items():
            if self.function.name.startswith(prefix) and base in makers:
                return makers[base]
        return MAKERS.get(base, [])

    def handle(self, parameter: Parameter, n: int) -> Axis:
        type_, name, v = parameter.type, parameter.name, f"v{n}"
        makers = self.makers(type_.base)
        if not makers:
            self.untried.add(type_.base)
        before = [f"{type_.base} *{v} = NULL;"]
        labels = [f'walk.picks[{n}] == 0 ? "living"'] if makers else []
        for position, maker in enumerate(makers):
            pick = 0 if position == 0 else position + 1
            before.append(f"if (walk.picks[{n}] == {pick}) {v} = {maker};")
            if position:
                labels.append(f'walk.picks[{n}] == {pick} ? "other {position}"')
        consumed = n == 0 and self.function.name == f"{type_.base}_free"
        after = [] if consumed or not makers else [f"{self.free(type_.base)}({v});"]
        labels.append('"NULL"')
        count = str(len(makers) + 1)
        return Axis(name, count, [v], "(" + " : ".join(labels) + ")", before, after, is_null=f"!{v}")

    def table(self, parameter: Parameter, n: int) -> Axis:
        base, name, v = parameter.type.base, parameter.name, f"v{n}"
        # Behind the table there is room for the members of a newer header.
        before = [f"struct {{ {base} table; char more[64]; }} {v};",
                  f"memset(&{v}, 0x5a, sizeof {v});",
                  f"const {base} *pointer{n} = table_of_{base}(walk.picks[{n}], &{v}.table);"]
        after = []
        if any(member.name == RELEASE for member in self.interface.structs[base]):
            after = [f"if (table_is_owed_{base}(pointer{n})) matrix_owed_releases++;"]
        return Axis(name, "TABLE_COUNT", [f"pointer{n}"], f"table_labels[walk.picks[{n}]]", before, after,
                    must_fail=f"(pointer{n} && {v}.table.struct_size < sizeof(size_t))")

    def write(self) -> str:
        function, axes = self.function, self.axes
        result = function.result
        lines = [f"static void run_{function.name}(void) {{"]
        if axes:
            lines.append("  static const size_t counts[] = {" + ", ".join(axis.count for axis in axes) + "};")
        lines.append("  matrix_walk walk = {{0}, 0, 0, 0, 0, false};")
        lines.append(f"  while (matrix_next(&walk, {'counts' if axes else 'NULL'}, {len(axes)})) {{")
        body: list[str] = []
        for axis in axes:
            body += axis.before
        formats = ", ".join(f"{axis.name}: %s" for axis in axes)
        labels = "".join(f", {axis.label}" for axis in axes)
        body.append(f'matrix_describe("{function.name}({formats})"{labels});')
        call = f"{function.name}({', '.join(argument for axis in axes for argument in axis.arguments)});"
        if str(result) == "void":
            body.append(call)
        else:
            body.append(f"{result} result = {call}")
        body += self.judge_result()
        for axis in axes:
            body += axis.after
        lines += ["    " + line for line in body] + ["  }", "}"]
        return "\n".join(lines)

    def judge_result(self) -> list[str]:
        result, axes = self.function.result, self.axes
        self_null = axes[0].is_null if axes and axes[0].is_null else None
        typed = any(p.name == "fallback" and p.type.base in (result.base, "char") for p in self.function.parameters)
        fallback = next((i for i, axis in enumerate(axes) if typed and axis.name == "fallback"), None)
        if str(result) == "void":
            return []
        if self.returns_status:
            # An evaluation never fails for a key: its detail says what was wrong.
            has_detail = any(axis.name == "detail" for axis in axes)
            fails = [axis.must_fail for axis in axes if axis.must_fail and not (has_detail and axis.name == "key")]
            if self_null and self.function.name not in NULL_IS_SUCCESS:
                fails.append(self_null)
            return [f"matrix_judge_status(result, {' || '.join(fails) or 'false'});"]
        if result.depth == 0:
            if fallback is None or self_null is None:
                return ["(void)result;"]
            bad = " || ".join([self_null] + [axis.is_bad_text for axis in axes if axis.is_bad_text and axis.name == "key"])
            base = self.scalar(result.base)
            if base == "size_t":
                return [f"if (({bad}) && walk.picks[{fallback}] == 0) "
                        f"matrix_expect(result == v{fallback}.size, \"the length of the fallback\");"]
            same = f"matrix_same_double(result, v{fallback})" if base == "double" else f"result == v{fallback}"
            return [f"if ({bad}) matrix_expect({same}, \"the fallback\");"]
        if result.base == "char":
            lines = ["matrix_read(result);"]
            if result.pointers[0].is_nullable is False:
                lines.append('matrix_expect(result != NULL, "a text, never NULL");')
            if fallback is not None and self_null:
                lines.append(f'if ({self_null}) matrix_expect(result == v{fallback}.bytes, "the fallback itself");')
            return lines
        if result.base == "json_t":
            return ["bool has_result = result != NULL;", "(void)has_result;", "json_decref(result);"]
        if result.base in self.interface.opaque and not result.is_const:
            return ["bool has_result = result != NULL;", "(void)has_result;", f"{self.free(result.base)}(result);"]
        return ["(void)result;"]


def stub(name: str, callback: Callback, status: str = "HOIST_ERR_PLUGIN") -> str:
    """A function of the host's that does nothing, and says so where it can."""
    parameters = ", ".join(f"{p.type} p{i}" for i, p in enumerate(callback.parameters))
    body = " ".join(f"(void)p{i};" for i in range(len(callback.parameters)))
    if str(callback.result) == "hoist_status":
        body += f" return {status};"
    elif str(callback.result) != "void":
        body += f" return ({callback.result})0;"
    return f"static {callback.result} stub_{name}({parameters}) {{ {body} }}"


def write_table(name: str, members: tuple[Member, ...]) -> str:
    """The values of a pointer to a struct that begins with struct_size."""
    lines = [stub(f"{name}_{m.name}", m.callback, "HOIST_OK" if m.name == "before" else "HOIST_ERR_PLUGIN")
             for m in members if m.callback and m.name != RELEASE]
    owns = any(m.name == RELEASE for m in members)
    lines.append(f"static const {name} *table_of_{name}(size_t pick, {name} *table) {{")
    lines += ["  memset(table, 0, sizeof *table);", "  table->struct_size = sizeof *table;"]
    if owns:
        lines += ["  table->user_data = &matrix_owed_releases;", "  table->release = matrix_count_release;"]
    lines.append("  if (pick != TABLE_EMPTY && pick != TABLE_LENGTHS) {")
    for member in members:
        if member.name in ("struct_size", "user_data", RELEASE):
            continue
        if member.callback:
            lines.append(f"    table->{member.name} = stub_{name}_{member.name};")
        elif member.type and member.type.depth == 1 and member.type.base == "char":
            lines.append(f'    table->{member.name} = "text";')
    lines.append("  }")
    counts = [m.name for m in members
              if m.type and str(m.type) == "size_t" and any(m.name.endswith("_" + word) for word in LENGTH_NAMES)]
    for count in counts:
        lines.append(f"  if (pick == TABLE_LENGTHS) table->{count} = SIZE_MAX;")
    lines += ["  if (pick == TABLE_ZERO_SIZE) table->struct_size = 0;",
              "  if (pick == TABLE_ONE_BYTE) table->struct_size = 1;",
              "  if (pick == TABLE_SIZE_ONLY) table->struct_size = sizeof(size_t);"]
    if owns:
        # A member that the size cuts in two is not there; whether `release` still counts is not said.
        lines.append("  if (pick == TABLE_CUT) table->user_data = NULL;")
    lines += ["  if (pick == TABLE_CUT) table->struct_size = sizeof *table - 1;",
              "  if (pick == TABLE_HUGE) table->struct_size = SIZE_MAX;",
              "  if (pick == TABLE_NEWER) table->struct_size = sizeof *table + 64;",
              "  return pick == TABLE_NULL ? NULL : table;", "}"]
    if owns:
        lines += [f"static bool table_is_owed_{name}(const {name} *table) {{",
                  # Of a table with an absurd size nothing can be known, its `release` neither.
                  "  return table && table->struct_size >= sizeof *table && table->struct_size != SIZE_MAX;", "}"]
    return "\n".join(lines)


def write_list(name: str, members: tuple[Member, ...]) -> str:
    """The values of a pointer to structs with a count."""
    texts = [m.name for m in members if m.type and m.type.depth == 1 and m.type.base == "char"]
    lines = [f"typedef struct values_of_{name} {{ const char *label; const {name} *items; size_t count; }} values_of_{name};",
             f"static values_of_{name} values_of_{name}_at(size_t pick) {{", f"  static {name} good, bad;",
             f"  values_of_{name} values[5] = {{{{\"one\", &good, 1}}, {{\"NULL of 0\", NULL, 0}}, {{\"NULL of 3\", NULL, 3}},",
             f"    {{\"NULL of SIZE_MAX\", NULL, SIZE_MAX}}, {{\"with a bad member\", &bad, 1}}}};"]
    for text in texts:
        lines += [f'  good.{text} = "a";', f'  bad.{text} = "a\\r\\nb: c\\xff";']
    if any(m.name == "struct_size" for m in members):
        lines += ["  good.struct_size = sizeof good;", "  bad.struct_size = 1;"]
    lines += ["  return values[pick < 5 ? pick : 0];", "}"]
    return "\n".join(lines)


def generate(interface: Interface) -> str:
    writers = [FunctionWriter(function, interface) for function in interface.functions.values()]
    used_tables, used_lists = set(), set()
    for writer in writers:
        parameters = writer.function.parameters
        for index, parameter in enumerate(parameters):
            if parameter.type.base in interface.structs:
                following = parameters[index + 1] if index + 1 < len(parameters) else None
                is_list = following is not None and AxisMaker.is_length(parameter, following)
                (used_lists if is_list else used_tables).add(parameter.type.base)
    parts = ["/* Made by generate_matrix.py from the public headers. */"]
    parts += [f"#include <hoist/{header}>" for header in interface.headers]
    parts += ['#include "matrix.h"', '#include "matrix_objects.h"']
    parts.append("""
static char poison;
static const char *number_text(double value) {
  static char texts[8][40];
  static unsigned next;
  char *text = texts[next++ % 8];
  snprintf(text, sizeof texts[0], "%g", value);
  return text;
}
enum { TABLE_GOOD, TABLE_NULL, TABLE_ZERO_SIZE, TABLE_ONE_BYTE, TABLE_SIZE_ONLY, TABLE_CUT, TABLE_HUGE, TABLE_NEWER,
       TABLE_EMPTY, TABLE_LENGTHS, TABLE_COUNT };
static const char *const table_labels[TABLE_COUNT] = {
    "good", "NULL", "struct_size 0", "struct_size 1", "struct_size of its own size", "struct_size cut",
    "struct_size SIZE_MAX", "of a newer header", "members NULL", "lengths without pointers"};
""")
    parts += [stub(name, callback) for name, callback in interface.callbacks.items() if name != "hoist_done"]
    parts += [write_table(name, interface.structs[name]) for name in sorted(used_tables)]
    parts += [write_list(name, interface.structs[name]) for name in sorted(used_lists)]
    parts += [writer.write() for writer in writers]
    rows = []
    for writer in writers:
        untried = '"' + ", ".join(sorted(writer.untried)) + '"' if writer.untried else "NULL"
        rows.append(f'    {{"{writer.function.name}", run_{writer.function.name}, {untried}}},')
    parts.append("static const matrix_function functions[] = {\n" + "\n".join(rows) + "\n};")
    parts.append("""int main(int argc, char **argv) {
  return matrix_main(functions, sizeof functions / sizeof functions[0], argc, argv);
}""")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).write_text(generate(read_headers()))

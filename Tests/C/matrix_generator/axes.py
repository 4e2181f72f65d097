"""The parameters of a function, each with its values and what surrounds the call."""

from __future__ import annotations

from dataclasses import dataclass, field

from declarations import Function, Interface, Parameter

from .good_values import GOOD_TEXTS, MAKERS, OPTIONAL_JSON, SERVICE_MAKERS
from .tables import LENGTH_NAMES, RELEASE

HIGHEST = {"int64_t": "INT64_MAX", "int32_t": "INT32_MAX", "int": "INT32_MAX"}
HIGHEST_UNSIGNED = {"uint64_t": "UINT64_MAX", "uint32_t": "UINT32_MAX", "size_t": "SIZE_MAX"}


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


class AxisMaker:
    """The axes of one function, from its parameters."""

    def __init__(self, function: Function, interface: Interface) -> None:
        self.function = function
        self.interface = interface
        self.returns_status = self.scalar(function.result.base) == "int32_t" and function.result.base == "hoist_status"
        self.untried: set[str] = set()
        self.axes = self.make_axes()

    def scalar(self, base: str) -> str:
        while base in self.interface.scalars:
            base = self.interface.scalars[base]
        return base

    def is_optional_json(self, name: str) -> bool:
        return name in OPTIONAL_JSON.get(self.function.name, ())

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
        if type_.depth == 1 and type_.base == "int64_t" and type_.is_const:
            return Axis(name, "MATRIX_INTEGERS_COUNT", [f"{v}.items", f"{v}.count"], f"{v}.label",
                        [f"matrix_integers {v} = matrix_integers_of(walk.picks[{n}]);"])
        if type_.depth == 2 and type_.base in self.interface.opaque and self.makers(type_.base):
            return self.handle_list(type_.base, name, n)
        if type_.depth == 1 and type_.base in self.interface.structs:
            values = f"values_of_{type_.base}"
            return Axis(name, "5", [f"{v}.items", f"{v}.count"], f"{v}.label",
                        [f"{values} {v} = {values}_at(walk.picks[{n}]);"])
        raise GenerationError(f"{self.function.name}: no values for {type_} {name} with a length")

    def handle_list(self, base: str, name: str, n: int) -> Axis:
        v = f"v{n}"
        before = [f"{base} *living{n} = {self.makers(base)[0]};",
                  f"const {base} *{v}[] = {{living{n}, walk.picks[{n}] == 1 ? NULL : living{n}}};"]
        labels = ["two", "with NULL", "NULL of 0", "NULL of 3", "NULL of SIZE_MAX"]
        label = " : ".join(f'walk.picks[{n}] == {pick} ? "{text}"' for pick, text in enumerate(labels)) + ' : "?"'
        count = (f"(walk.picks[{n}] < 2 ? (size_t)2 : walk.picks[{n}] == 2 ? (size_t)0 "
                 f": walk.picks[{n}] == 3 ? (size_t)3 : SIZE_MAX)")
        return Axis(name, str(len(labels)), [f"(walk.picks[{n}] < 2 ? {v} : NULL)", count], f"({label})", before,
                    [f"{self.free(base)}(living{n});"], must_fail=f"(walk.picks[{n}] == 1 || walk.picks[{n}] > 2)")

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
            is_missing = "" if self.is_optional_json(name) else f"!{v} || "
            return Axis(name, "MATRIX_JSON_COUNT", [v], f"matrix_json_labels[walk.picks[{n}]]",
                        [f"json_t *{v} = matrix_json(walk.picks[{n}]);"], [f"json_decref({v});"],
                        must_fail=f"({is_missing}walk.picks[{n}] == MATRIX_JSON_DEEP)")
        if not type_.is_const:
            return Axis(name, "2", [f"(walk.picks[{n}] ? NULL : &{v})"], f'(walk.picks[{n}] ? "NULL" : "out")',
                        [f"{type_.base} {v};", f"memset(&{v}, 0x5a, sizeof {v});"])
        if base == "double":
            return Axis(name, "MATRIX_DOUBLE_COUNT + 1", [f"(walk.picks[{n}] < MATRIX_DOUBLE_COUNT ? &{v} : NULL)"],
                        f'(walk.picks[{n}] < MATRIX_DOUBLE_COUNT ? number_text({v}) : "NULL")',
                        [f"double {v} = matrix_double(walk.picks[{n}] < MATRIX_DOUBLE_COUNT ? walk.picks[{n}] : 0);"])
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
        if parameter.type.is_const or base not in self.interface.opaque | {"json_t"}:
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
        if base == "json_t":
            return "json_decref"
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
        argument = f"pointer{n}"
        if not parameter.type.is_const:  # one that the call fills
            argument = f"(pointer{n} ? &{v}.table : NULL)"
        after = []
        if any(member.name == RELEASE for member in self.interface.structs[base]):
            after = [f"if (table_is_owed_{base}(pointer{n})) matrix_owed_releases++;"]
        return Axis(name, "TABLE_COUNT", [argument], f"table_labels[walk.picks[{n}]]", before, after,
                    must_fail=f"(pointer{n} && {v}.table.struct_size < sizeof(size_t))")

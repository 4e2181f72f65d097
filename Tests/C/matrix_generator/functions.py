"""The calls of one function, and the verdicts on what it returns."""

from __future__ import annotations

from declarations import Function, Interface

from .axes import AxisMaker
from .good_values import BORROWED_RESULTS, NULL_IS_SUCCESS, SERVICES, UNDONE_BY


class FunctionWriter:
    def __init__(self, function: Function, interface: Interface) -> None:
        self.function = function
        self.maker = AxisMaker(function, interface)
        self.axes = self.maker.axes
        self.untried = self.maker.untried

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
        if function.name in UNDONE_BY:
            body.append(f"(void){UNDONE_BY[function.name]};")
        for axis in axes:
            body += axis.after
        lines += ["    " + line for line in body] + ["  }", "}"]
        return "\n".join(lines)

    def judge_result(self) -> list[str]:
        result, axes = self.function.result, self.axes
        self_null = axes[0].is_null if axes and axes[0].is_null else None
        # A text for a fallback is what comes back, or its length is.
        bases = {"char": ("char",), "size_t": ("char",)}.get(result.base, (result.base,))
        typed = any(p.name == "fallback" and p.type.base in bases for p in self.function.parameters)
        fallback = next((i for i, axis in enumerate(axes) if typed and axis.name == "fallback"), None)
        if str(result) == "void":
            return []
        if self.maker.returns_status:
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
            base = self.maker.scalar(result.base)
            if base == "size_t":
                return [f"if (({bad}) && walk.picks[{fallback}] == 0) "
                        f"matrix_expect(result == v{fallback}.size, \"the length of the fallback\");"]
            same = f"matrix_same_double(result, v{fallback})" if base == "double" else f"result == v{fallback}"
            return [f"if ({bad}) matrix_expect({same}, \"the fallback\");"]
        if result.base == "char":
            lines = ["matrix_read(result);"]
            if result.pointers[0].is_nullable is False:
                lines.append('matrix_expect(result != NULL, "a text, never NULL");')
            lines += self.judge_missing(self_null)
            if fallback is not None and self_null:
                lines.append(f'if ({self_null}) matrix_expect(result == v{fallback}.bytes, "the fallback itself");')
            return lines
        if result.base == "json_t":
            return ["bool has_result = result != NULL;", "(void)has_result;", "json_decref(result);"]
        is_owned = not result.is_const and self.function.name not in BORROWED_RESULTS
        if result.base in self.maker.interface.opaque and is_owned:
            missing = self.judge_missing(self_null) if result.base == "hoist_text" else []
            return ["bool has_result = result != NULL;", "(void)has_result;", *missing, f"{self.maker.free(result.base)}(result);"]
        return ["(void)result;"]

    def judge_missing(self, self_null: str | None) -> list[str]:
        """A service's text is NULL for a NULL handle, and beyond the end; what has no value is a text as well."""
        names = {parameter.name for parameter in self.function.parameters}
        if not self_null or not self.function.name.startswith(SERVICES) or names & {"error", "references"}:
            return []
        if "index" in names:
            return [f'if ({self_null}) matrix_expect(result == NULL, "NULL for NULL");']
        return [f'matrix_expect((result == NULL) == ({self_null}), "NULL for NULL alone");']

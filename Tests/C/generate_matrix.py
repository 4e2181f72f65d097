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
    parts = ["/* Made by generate_matrix.py from the public headers. */\n#define HOIST_DEPRECATED"]
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
    calls = [writer.write() for writer in writers]
    # What only members of structs are of stands in no call.
    parts += [stub(name, callback) for name, callback in interface.callbacks.items()
              if any(f"stub_{name};" in call for call in calls)]
    parts += [write_table(name, interface.structs[name]) for name in sorted(used_tables)]
    parts += [write_list(name, interface.structs[name]) for name in sorted(used_lists)]
    parts += calls
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

"""The values of pointers to structs: tables of the host's, and lists."""

from __future__ import annotations

from declarations import Callback, Member

# Structs that a call takes over: they end with a member `release`.
RELEASE = "release"
LENGTH_NAMES = ("length", "size", "count")


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
    lines += ["  if (pick == TABLE_CUT) table->struct_size = sizeof *table - 1;",
              "  if (pick == TABLE_HUGE) table->struct_size = SIZE_MAX;",
              "  if (pick == TABLE_NEWER) table->struct_size = sizeof *table + 64;",
              "  return pick == TABLE_NULL ? NULL : table;", "}"]
    if owns:
        lines += [f"static bool table_is_owed_{name}(const {name} *table) {{",
                  # Whatever its size says: every header's tables reach as far as `release`.
                  "  return table != NULL;", "}"]
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

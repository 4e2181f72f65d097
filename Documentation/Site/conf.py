"""How Sphinx makes the site; `Documentation/build` runs it."""

import importlib
import inspect
import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ["HOIST_DOCS_ROOT"])
# The binding as it is installed into the environment of the tests, with what it needs.
sys.path.extend(str(path) for path in (Path(os.environ["HOIST_PYTHON_VENV"]) / "lib").glob("python3*/site-packages"))

HEADER = (ROOT / "Include/hoist/base.h").read_text()
project = "Hoist"
release = ".".join(re.findall(r"^#define HOIST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", HEADER, flags=re.M))
copyright = "2026 The Hoist authors"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"Hoist {release}"
html_show_sphinx = False
html_copy_source = False
# Whole names of C, as people type them, and their parts.
html_search_options = {"type": "default"}
pygments_style = "tango"

breathe_projects = {"hoist": str(ROOT / ".build-docs/doxygen/xml")}
breathe_default_project = "hoist"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
c_maximum_signature_line_length = 90
python_maximum_signature_line_length = 90

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
nitpicky = False
# A name in an annotation that several modules have leads to none of them; a struct and its typedef have one name.
suppress_warnings = ["myst.header", "ref.python", "duplicate_declaration.c"]


def literal(text: str) -> str:
    """A line of prose for reStructuredText: code stays code, and nothing else is markup."""
    parts = re.split(r"`+([^`]+)`+", text)
    for index, part in enumerate(parts):
        parts[index] = f"``{part}``" if index % 2 else re.sub(r"([*_|\\])", r"\\\1", part)
    line = ""
    for part in parts:  # a literal ends and begins at a word
        if part.startswith("``") and line and not line[-1].isspace() and line[-1] not in "([\"'":
            line += "\\ "
        if line.endswith("``") and part and part[0].isalnum():
            line += "\\ "
        line += part
    return line


def as_prose(app, what, name, obj, options, lines: list[str]) -> None:
    """Docstrings are plain text: paragraphs, lists of dashes, and code that is indented."""
    result: list[str] = []
    is_code, is_item = False, False
    for line in inspect.cleandoc("\n".join(lines)).splitlines():
        if line.startswith("    "):
            if not is_code:
                result += ["", "::", ""]
            is_code = True
            result.append(line)
        elif line.strip():
            begins = line.startswith("- ") and not is_item
            ends = is_item and not line.startswith(("- ", "  "))
            if is_code or begins or ends:
                result.append("")
            is_code, is_item = False, line.startswith("- ") or is_item and not ends
            result.append(literal(line))
        else:
            is_item = False
            result.append("")
    lines[:] = [*result, ""]


def as_exported(app) -> None:
    """What a module exports is documented there, wherever it is written."""
    for name in sorted(path.stem for path in (ROOT / ".build-docs/source/python").glob("hoist*.rst")):
        module = importlib.import_module(name)
        for exported in getattr(module, "__all__", ()):
            thing = getattr(module, exported)
            if getattr(thing, "__module__", "").startswith(f"{name}."):
                thing.__module__ = name


def setup(app) -> None:
    app.connect("builder-inited", as_exported)
    app.connect("autodoc-process-docstring", as_prose)

"""Builds the binding against an installed or freshly built Hoist; see README.md."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent))

from building.declarations import declarations  # noqa: E402
from building.locate import Missing, locate  # noqa: E402

# Plain Python over the library found at run time, for development without a compiler.
IS_PLAIN = os.environ.get("HOIST_PYTHON_MODE") == "abi"


class BuildDeclarations(build_py):
    """Adds the declarations, which the plain mode reads when it is imported."""

    def run(self) -> None:
        super().run()
        folder = Path(__file__).parent / "hoist" if self.editable_mode else Path(self.build_lib) / "hoist"
        try:
            text = declarations(locate(library_needed=not IS_PLAIN).include)
        except Missing as missing:
            raise SystemExit(f"\nhoist: {missing}\n") from None
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_declarations.h").write_text(text, encoding="utf-8")


class BuildCompiled(build_ext):
    def build_extension(self, extension: Extension) -> None:
        from building.extension import configure

        try:
            configure(extension, locate(), Path(self.build_temp) / "_compiled.c")
        except Missing as missing:
            raise SystemExit(f"\nhoist: {missing}\n") from None
        super().build_extension(extension)


class Plain(Distribution):
    def has_ext_modules(self) -> bool:
        return not IS_PLAIN


setup(
    distclass=Plain,
    cmdclass={"build_py": BuildDeclarations, "build_ext": BuildCompiled},
    ext_modules=[] if IS_PLAIN else [Extension("hoist._compiled", sources=[], py_limited_api=True)],
    options={} if IS_PLAIN else {"bdist_wheel": {"py_limited_api": "cp310"}},
)

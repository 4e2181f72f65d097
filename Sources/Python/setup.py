"""Builds the binding against an installed or freshly built Hoist; see README.md."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

sys.path.insert(0, str(Path(__file__).parent))

from building.declarations import declarations  # noqa: E402
from building.locate import Missing, locate  # noqa: E402

# Plain Python over the library found at run time, for development without a compiler.
IS_PLAIN = os.environ.get("HOIST_PYTHON_MODE") == "abi"

# The same sources make the same wheel: its files have no time of their own.
os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")


class Source(sdist):
    """Adds what building needs and what lies elsewhere in the checkout: the headers, and the licence."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        include = locate(library_needed=False).include
        shutil.copytree(include / "hoist", Path(base_dir) / "Include" / "hoist", dirs_exist_ok=True)


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
        from building.extension import bundle, configure, is_bundled

        try:
            location = locate()
            bundled = not self.inplace and is_bundled(location.library)
            configure(extension, location, Path(self.build_temp) / "_compiled.c", bundled=bundled)
        except Missing as missing:
            raise SystemExit(f"\nhoist: {missing}\n") from None
        if bundled:
            # A Python that was built by hand has modules look into its own folder, too.
            self.compiler.linker_so = [word for word in self.compiler.linker_so if not word.startswith("-Wl,-rpath")]
        super().build_extension(extension)
        if bundled:
            bundle(location.library, Path(self.get_ext_fullpath(extension.name)).parent)


class Plain(Distribution):
    def has_ext_modules(self) -> bool:
        return not IS_PLAIN


setup(
    distclass=Plain,
    cmdclass={"sdist": Source, "build_py": BuildDeclarations, "build_ext": BuildCompiled},
    ext_modules=[] if IS_PLAIN else [Extension("hoist._compiled", sources=[], py_limited_api=True)],
    options={} if IS_PLAIN else {"bdist_wheel": {"py_limited_api": "cp310"}},
)

"""The program in front of the linker fails where a hook into the toolchain finds nothing to hook."""

import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOK = """
int __real_{name}(void) __attribute__((weak));
int __wrap_{name}(void) {{ return __real_{name} ? __real_{name}() : 0; }}
"""


def front_end(is_lean: bool, replaced: str = "") -> ModuleType:
    swift = shutil.which("swift")
    if not swift:
        pytest.skip("there is no Swift toolchain")
    folder = Path(swift).resolve().parent
    text = (ROOT / "cmake" / "linker.py.in").read_text()
    for name, value in {"hoist_toolchain_bin": str(folder), "hoist_toolchain": str(folder.parent), "PROJECT_SOURCE_DIR": str(ROOT),
                        "hoist_swift_configuration": "release", "hoist_is_lean": "ON" if is_lean else "OFF", "hoist_replaced_names": replaced,
                        "Python3_EXECUTABLE": "python3"}.items():
        text = text.replace(f"@{name}@", value)
    module = ModuleType("linker")
    exec(compile(text, "linker.py", "exec"), module.__dict__)
    return module


def compiled(folder: Path, name: str, code: str) -> str:
    source = folder / f"{name}.c"
    source.write_text(code)
    subprocess.run(["cc", "-c", "-fPIC", "-o", folder / f"{name}.o", source], check=True)
    return str(folder / f"{name}.o")


def link(linker: ModuleType, folder: Path, *arguments: str) -> int:
    return linker.main(["-shared", "-o", str(folder / "linked.so"), *arguments])


@pytest.fixture
def hook(tmp_path: Path) -> str:
    return compiled(tmp_path, "shim_runtime", HOOK.format(name="runtime_lock"))


def test_a_hook_that_hooks_is_linked(tmp_path: Path, hook: str) -> None:
    caller = compiled(tmp_path, "caller", "int runtime_lock(void); int f(void) { return runtime_lock(); }")
    assert link(front_end(False), tmp_path, hook, caller, "--wrap=runtime_lock") == 0
    assert (tmp_path / "linked.so").exists()


def test_a_wrapped_name_that_nothing_refers_to_fails(tmp_path: Path, hook: str, capsys: pytest.CaptureFixture[str]) -> None:
    caller = compiled(tmp_path, "caller", "int runtime_lock_2(void); int f(void) { return runtime_lock_2(); }")
    assert link(front_end(False), tmp_path, hook, caller, "--wrap=runtime_lock") == 1
    assert "nothing refers to runtime_lock, which is hooked" in capsys.readouterr().err


def test_what_the_hook_itself_refers_to_proves_nothing(tmp_path: Path) -> None:
    code = HOOK.format(name="runtime_lock") + "int runtime_lock(void); int f(void) { return runtime_lock(); }"
    assert link(front_end(False), tmp_path, compiled(tmp_path, "shim_runtime", code), "--wrap=runtime_lock") == 1


def test_a_replaced_name_that_nothing_refers_to_fails(
    tmp_path: Path, hook: str, capsys: pytest.CaptureFixture[str]
) -> None:
    caller = compiled(tmp_path, "caller", "int runtime_lock(void); int f(void) { return runtime_lock(); }")
    assert link(front_end(False, "settings"), tmp_path, hook, caller, "--wrap=runtime_lock") == 1
    assert "nothing refers to settings" in capsys.readouterr().err


def test_a_replaced_name_that_the_runtime_brings_along_fails(
    tmp_path: Path, hook: str, capsys: pytest.CaptureFixture[str]
) -> None:
    caller = compiled(tmp_path, "caller", "extern int settings; int runtime_lock(void); "
                      "int f(void) { return runtime_lock() + settings; }")
    catcher = compiled(tmp_path, "catcher", "int settings = 1;")
    assert link(front_end(False, "settings"), tmp_path, hook, caller, catcher, "--wrap=runtime_lock") == 1
    assert "catcher.o" in capsys.readouterr().err


def test_objects_without_the_mark_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = compiled(tmp_path, "plain", "int f(void) { return 0; }")
    assert link(front_end(True), tmp_path, plain) == 1
    assert "marked to be kept" in capsys.readouterr().err


def test_marked_objects_are_linked_without_the_mark(tmp_path: Path) -> None:
    marked = compiled(tmp_path, "marked", '__asm__(".section .text.f,\\"axR\\",@progbits\\n.globl f\\nf: ret\\n");')
    assert link(front_end(True), tmp_path, marked) == 0


def test_a_runtime_without_its_standard_library_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    linker = front_end(True)
    linker.RUNTIME = tmp_path
    other = compiled(tmp_path, "Other", "int g(void) { return 0; }")
    subprocess.run(["ar", "rcs", tmp_path / "libswiftCore.a", other], check=True)
    marked = compiled(tmp_path, "marked", '__asm__(".section .text.f,\\"axR\\",@progbits\\n.globl f\\nf: ret\\n");')
    assert link(linker, tmp_path, marked, "-lswiftCore", f"-L{tmp_path}") == 1
    assert "has no member Swift.o" in capsys.readouterr().err


def sections(file: Path) -> str:
    return subprocess.run(["readelf", "-SW", file], capture_output=True, text=True, check=True).stdout


def test_a_release_has_no_tables_for_unwinding(tmp_path: Path) -> None:
    code = '__asm__(".section .text.f,\\"axR\\",@progbits\\n.globl f\\nf: ret\\n.text"); int g(void) { return 0; }'
    marked = compiled(tmp_path, "marked", code)
    assert ".eh_frame" in sections(Path(marked))
    assert link(front_end(True), tmp_path, marked) == 0
    assert ".eh_frame" not in sections(tmp_path / "linked.so")


def test_the_standard_library_with_its_functions_apart_has_the_same_bytes(tmp_path: Path) -> None:
    """Linked in the old order; so every reference goes where it went."""
    linker = front_end(True)
    archive = linker.RUNTIME / "libswiftCore.a"
    if not archive.exists():
        pytest.skip("the toolchain has no static runtime")
    whole, apart, script = tmp_path / "whole.o", tmp_path / "apart.o", tmp_path / "order.ld"
    whole.write_bytes(subprocess.run(["ar", "p", archive, "Swift.o"], stdout=subprocess.PIPE, check=True).stdout)
    apart.write_bytes(linker.split_functions.split(whole.read_bytes(), whole, linker.OBJDUMP))
    assert sections(apart).count(" .text ") > 10_000
    script.write_text("SECTIONS { .text : { *(.text) *(.text.*) } }")
    for file in (whole, apart):
        subprocess.run([linker.LINKER, "-T", script, "-shared", "--no-gc-sections", "--noinhibit-exec", "--strip-all", "-z",
                        "notext", "-Bsymbolic", file, "-o", file.with_suffix(".so")], capture_output=True)
    assert whole.with_suffix(".so").read_bytes() == apart.with_suffix(".so").read_bytes()


def test_an_object_that_is_not_understood_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    linker = front_end(True)
    code = ".globl f\\n.type f,@function\\nf: nop; call g; ret\\n.size f, . - f\\n.data\\n.quad .text + 1\\n"
    content = Path(compiled(tmp_path, "middle", f'__asm__("{code}");')).read_bytes()
    assert linker.split(content, tmp_path) == content
    assert "refers to the middle of the function at 0x0" in capsys.readouterr().err


def test_a_build_with_the_runtime_inside_needs_the_program(tmp_path: Path) -> None:
    """Without it nothing says that a hook finds nothing to hook."""
    if not shutil.which("cmake") or not shutil.which("swift"):
        pytest.skip("there is no CMake, or no Swift toolchain")
    done = subprocess.run(
        ["cmake", "-S", ROOT, "-B", tmp_path, "-DHOIST_STATIC_STDLIB=ON", "-DHOIST_BUILD_TESTS=OFF",
         "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON"], capture_output=True, text=True)
    assert done.returncode != 0 and "Python3" in done.stderr

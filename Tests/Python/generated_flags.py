"""Random feature documents and contexts, rich in the odd texts that services and hosts come up with. A seed each."""

from __future__ import annotations

import random
from typing import Any

NUMBERS = ["0", "5", "-5", "+7", "5.", ".5", "5.0", "1e3", "1E-2", "007", "1_0", "0x10", "inf", "-Infinity", "NaN", "", " 5", "5 ",
           "\t5", "0.1", "0.30000000000000004", "9007199254740993", "1e400", "５", "5e", "true"]  # fmt: skip
VERSIONS = ["1.2.3", "1.2.4", "1.10.0", "1.2", "1", "v1.2.3", "1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-alpha.beta", "1.2.3-rc.11",
            "1.2.3+a", "1.2.3+b", "1.2.3-rc.1+b", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", " 1.2.3", "1.2.3 ", "1.2.3.4",
            "18446744073709551615.0.0", "18446744073709551616.0.0", "0.0.0"]  # fmt: skip
DATES = ["2024-06-01T12:00:00Z", "2024-06-01T12:00:00.000Z", "2024-06-01T12:00:00.001Z", "2024-06-01T12:00:00.5Z",
         "2024-06-01T14:00:00+02:00", "2024-06-01T14:00:00+0200", "2024-06-01T14:00:00+02", "2024-06-01T12:00:00",
         "2024-06-01", "2024-06-01t12:00:00z", "2024-06-01 12:00:00Z", "2024-6-1T12:0:0Z", "2024-02-30T00:00:00Z",
         "2023-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "2024-06-01T24:00:00Z", "1717243200", "2024-05-31T23:59:59-12:00",
         "1999-12-31T23:59:59Z"]  # fmt: skip
TEXTS = ["", "a", "A", "abc", "ABC", "ab", "c", "søk", "SØK", "ß", "SS", "ΟΔΟΣ", "οδος", "οδοσ", "İ", "i̇", "é", "é", "日本語",
         "a\\", "a\"b", " a", "a,b", "K", "k", "pro", "user-1", "user-2", "user-42", "7", "999", "123"]  # fmt: skip
ADDRESSES = ["10.0.0.1", "10.1.2.3", "192.168.0.7", "::1", "2001:db8::1", "::ffff:10.0.0.1", "010.0.0.1", " 10.0.0.1", "10.0.0",
             "fe80::1%eth0", "10.0.0.1:80", "255.255.255.255", ""]  # fmt: skip
RANGES = ["10.0.0.0/8", "10.1.2.3/32", "10.1.2.3", "192.168.0.0/255.255.0.0", "0.0.0.0/0", "::/0", "2001:db8::/32", "::1",
          "10.0.0.0/33", "nonsense", " 10.0.0.0/8", "10.0.0.0/", "10.1.2.3/8", "::1/129"]  # fmt: skip
PERCENTAGES = ["0", "1", "25", "50", "73", "99", "100", "101", "+50", "050", "-1", "50.5", " 50", "", "x", "4294967296", "18446744073709551615", "18446744073709551616"]
PATTERNS = ["", "a", "^a", "c$", "[0-9]+", "a|b", "^(ab)+c$", "[", "(?=a)", "\\d", "."]
STICKINESS = ["default", "userId", "sessionId", "tier", "appName", "environment", "remoteAddress", "random", "missing"]
FIELDS = ["userId", "sessionId", "remoteAddress", "environment", "appName", "tier", "x", "version", "when", "amount", "missing", ""]
POOLS = {"tier": TEXTS, "x": TEXTS, "version": VERSIONS, "when": DATES, "amount": NUMBERS}
NAMES = [f"flag-{number}" for number in range(8)]
EVERYTHING = NUMBERS + VERSIONS + DATES + TEXTS


class Generated:
    """One document and some contexts."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.segments = [{"id": number, "constraints": self._constraints()} for number in range(3)]
        self.features = [self._feature(name) for name in NAMES]
        self.contexts = [self._context() for _ in range(12)]

    @property
    def document(self) -> dict[str, Any]:
        return {"version": 2, "features": self.features, "segments": self.segments}

    def _maybe(self, share: float) -> bool:
        return self._random.random() < share

    def _pick(self, pool: list[str]) -> str:
        return self._random.choice(pool)

    def _picks(self, pool: list[str], most: int = 4) -> list[str]:
        return [self._pick(pool) for _ in range(self._random.randint(0, most))]

    def _feature(self, name: str) -> dict[str, Any]:
        feature: dict[str, Any] = {"name": name, "enabled": self._maybe(0.85)}
        if self._maybe(0.9):
            feature["strategies"] = [self._strategy() for _ in range(self._random.randint(0, 3))]
        if self._maybe(0.5):
            feature["variants"] = self._variants(overrides=True)
        if self._maybe(0.35):
            feature["dependencies"] = [self._dependency() for _ in range(self._random.randint(0, 2))]
        return feature

    def _strategy(self) -> dict[str, Any]:
        name = self._random.choice(
            ["default"] * 3 + ["flexibleRollout"] * 5 + ["userWithId", "gradualRolloutUserId", "gradualRolloutSessionId",
                                                          "remoteAddress", "unheardOf"])  # fmt: skip
        strategy: dict[str, Any] = {"name": name, "parameters": self._parameters(name)}
        if self._maybe(0.5):
            strategy["constraints"] = self._constraints()
        if self._maybe(0.25):
            strategy["segments"] = [self._random.choice([0, 1, 2, 2, 7 if self._maybe(0.2) else 1])]
        if self._maybe(0.3):
            strategy["variants"] = self._variants(overrides=False)
        return strategy

    def _parameters(self, name: str) -> dict[str, str]:
        parameters = {
            "flexibleRollout": {"rollout": self._pick(PERCENTAGES), "stickiness": self._pick(STICKINESS), "groupId": self._pick(TEXTS)},
            "gradualRolloutUserId": {"percentage": self._pick(PERCENTAGES), "groupId": self._pick(TEXTS)},
            "gradualRolloutSessionId": {"percentage": self._pick(PERCENTAGES), "groupId": self._pick(TEXTS)},
            "userWithId": {"userIds": ", ".join(self._picks(TEXTS))},
            "remoteAddress": {"IPs": " ,".join(self._picks(RANGES))},
        }.get(name, {"any": "thing"})
        return {key: value for key, value in parameters.items() if self._maybe(0.85)}

    def _constraints(self) -> list[dict[str, Any]]:
        return [self._constraint() for _ in range(self._random.choice([0, 1, 1, 2]))]

    def _constraint(self) -> dict[str, Any]:
        kind = self._random.choice(["text", "list", "amount", "version", "when", "address", "pattern", "mixed"])
        constraint: dict[str, Any] = {"contextName": self._pick(FIELDS)}
        if self._maybe(0.3):
            constraint["inverted"] = self._maybe(0.8)
        if self._maybe(0.4):
            constraint["caseInsensitive"] = self._maybe(0.7)
        if kind in ("amount", "version", "when"):
            names = {"amount": ["NUM_EQ", "NUM_GT", "NUM_GTE", "NUM_LT", "NUM_LTE"],
                     "version": ["SEMVER_EQ", "SEMVER_GT", "SEMVER_GTE", "SEMVER_LT", "SEMVER_LTE"],
                     "when": ["DATE_AFTER", "DATE_BEFORE"]}[kind]  # fmt: skip
            # Values that cannot be compiled turn flags off, so they are to be few.
            good = {"amount": ["5", "0.1", " 5", "1e3"], "version": ["1.2.3", "1.2.3-alpha.1", "1.10.0"], "when": DATES[:5]}[kind]
            pool = POOLS[kind] if self._maybe(0.15) else good
            constraint.update(operator=self._pick(names), value=self._pick(pool))
            if self._maybe(0.8):
                constraint["contextName"] = kind
        elif kind == "mixed":
            operators = ["NUM_GT", "SEMVER_GT", "DATE_AFTER", "STR_CONTAINS", "IN", "FUTURE" if self._maybe(0.3) else "NOT_IN"]
            constraint.update(operator=self._pick(operators), value=self._pick(["5", "1.2.3", "2024-06-01T12:00:00Z"]), values=["a", "5"])
        elif kind == "pattern":
            constraint.update(operator="REGEX", value=self._pick(PATTERNS))
        elif kind == "address":
            constraint.update(operator="IN_CIDR", values=self._picks(RANGES) or ["10.0.0.0/8"], contextName="remoteAddress")
        elif kind == "list":
            constraint.update(operator=self._pick(["IN", "NOT_IN"]), values=self._picks(TEXTS, 12))
        else:
            operators = ["STR_STARTS_WITH", "STR_ENDS_WITH", "STR_CONTAINS"]
            constraint.update(operator=self._pick(operators), values=self._picks(TEXTS) or ["a"])
        return constraint

    def _variants(self, overrides: bool) -> list[dict[str, Any]]:
        variants = []
        for number in range(self._random.randint(0, 4)):
            variant: dict[str, Any] = {"name": f"v{number}", "weight": self._random.choice([0, 1, 10, 333, 1000])}
            if self._maybe(0.5):
                variant["stickiness"] = self._pick(STICKINESS)
            if self._maybe(0.4):
                variant["payload"] = {"type": self._pick(["string", "json", "csv", "number"]), "value": self._pick(TEXTS)}
            if overrides and self._maybe(0.3):
                variant["overrides"] = [{"contextName": self._pick(FIELDS), "values": self._picks(TEXTS)}]
            variants.append(variant)
        return variants

    def _dependency(self) -> dict[str, Any]:
        dependency: dict[str, Any] = {"feature": self._pick(NAMES + ["nowhere"])}
        if self._maybe(0.5):
            dependency["enabled"] = self._maybe(0.7)
        if self._maybe(0.4):
            dependency["variants"] = self._picks(["v0", "v1", "v2", "disabled"], 3)
        return dependency

    def _context(self) -> dict[str, str]:
        context = {"userId": self._pick(TEXTS)} if self._maybe(0.85) else {}
        if self._maybe(0.6):
            context["sessionId"] = self._pick(TEXTS)
        if self._maybe(0.6):
            context["remoteAddress"] = self._pick(ADDRESSES)
        if self._maybe(0.2):
            context["environment"] = self._pick(TEXTS)
        for name, pool in POOLS.items():
            if self._maybe(0.7):
                context[name] = self._pick(EVERYTHING if self._maybe(0.15) else pool)
        return context

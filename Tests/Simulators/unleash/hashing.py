"""The normalisations of MurmurHash3 (protocol C.3, C.8)."""

from __future__ import annotations

from loopback.murmur import murmur3

VARIANT_SEED = 86028157


def normalized(group: str, identifier: str, modulus: int = 100, seed: int = 0) -> int:
    """1…modulus for a group and an identifier."""
    return murmur3(f"{group}:{identifier}".encode("utf-8", "surrogatepass"), seed) % modulus + 1

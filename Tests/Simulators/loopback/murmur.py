"""MurmurHash3 (x86, 32 bit): several services divide their users by it."""

from __future__ import annotations

_MASK = 0xFFFFFFFF


def murmur3(data: bytes, seed: int = 0) -> int:
    """The unsigned 32-bit hash of `data`."""
    value = seed & _MASK
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        block = _scramble(int.from_bytes(data[start : start + 4], "little"))
        value = _rotate(value ^ block, 13)
        value = (value * 5 + 0xE6546B64) & _MASK
    tail = data[whole:]
    if tail:
        value ^= _scramble(int.from_bytes(tail, "little"))
    value ^= len(data)
    value = ((value ^ (value >> 16)) * 0x85EBCA6B) & _MASK
    value = ((value ^ (value >> 13)) * 0xC2B2AE35) & _MASK
    return value ^ (value >> 16)


def _scramble(block: int) -> int:
    return (_rotate((block * 0xCC9E2D51) & _MASK, 15) * 0x1B873593) & _MASK


def _rotate(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & _MASK

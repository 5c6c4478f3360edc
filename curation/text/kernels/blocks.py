"""64 bytes of text at a time: one bit per byte for what a byte is, and the two questions asked of such bits.

Bit k of a uint64 is the byte k places on. A kernel that walks over set bits touches only the places that matter, and
finds them without a branch per byte; the processor compares 32 or 64 bytes at once. B bytes of text.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiled import BYTES, OUT_BYTES, UINT64_PAIR, Int, intrinsic, kernel

BLOCK = 64
REACH = 72  # bytes that may be read from a block's address on: the block and a few that follow it

_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_VECTOR = ir.VectorType(ir.IntType(8), BLOCK)


def _loaded(builder: Any, address: Any, byte: Any) -> tuple[Any, Any]:
    """The vector at an address, and a vector of one byte value."""
    source = builder.inttoptr(address, ir.PointerType(_VECTOR))
    vector = builder.load(source, align=1)
    value = builder.trunc(byte, ir.IntType(8))
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
    return vector, builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), lanes)


@intrinsic(np.uint64)
def equal(typing: Any, address: Any, byte: Any) -> Any:
    """uint64 of bits: which of the 64 bytes at `address` (uint64) are `byte`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, value = _loaded(builder, *arguments)
        return builder.bitcast(builder.icmp_unsigned("==", vector, value), ir.IntType(64))

    return types.uint64(types.uint64, types.int64), generate


@intrinsic(np.uint64)
def below(typing: Any, address: Any, byte: Any) -> Any:
    """uint64 of bits: which of the 64 bytes at `address` (uint64) are less than `byte`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, value = _loaded(builder, *arguments)
        return builder.bitcast(builder.icmp_unsigned("<", vector, value), ir.IntType(64))

    return types.uint64(types.uint64, types.int64), generate


@intrinsic(np.uint8)
def load1(typing: Any, address: Any) -> Any:
    """uint8: the byte at `address` (uint64)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.PointerType(ir.IntType(8))))

    return types.uint8(types.uint64), generate


@intrinsic(np.uint64)
def load8(typing: Any, address: Any) -> Any:
    """uint64: the eight bytes at `address` (uint64), the first one lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.PointerType(ir.IntType(64))), align=1)

    return types.uint64(types.uint64), generate


@intrinsic(int)
def store8(typing: Any, address: Any, value: Any) -> Any:
    """Write a uint64 to eight bytes at `address` (uint64), its lowest one first; gives back 8."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], builder.inttoptr(arguments[0], ir.PointerType(ir.IntType(64))), align=1)
        return ir.Constant(ir.IntType(64), 8)

    return types.int64(types.uint64, types.uint64), generate


@intrinsic(np.uint64)
def folded_product(typing: Any, one: Any, other: Any) -> Any:
    """uint64: the 128-bit product of two uint64, its upper half over its lower one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        upper = builder.lshr(product, ir.Constant(wide, 64))
        return builder.trunc(builder.xor(product, upper), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic(int)
def ones(typing: Any, bits: Any) -> Any:
    """int64: how many bits of a uint64 are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic(int)
def lowest(typing: Any, bits: Any) -> Any:
    """int64: the place of the lowest set bit of a uint64; 64 where none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic(np.uint64)
def address_of(typing: Any, data: Any) -> Any:
    """uint64: where an array's first element lies in memory."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.ptrtoint(array.data, ir.IntType(64))

    return types.uint64(data), generate


@kernel(types.uint64(types.int64))
def first_bits(count: Int) -> np.uint64:
    """The lowest `count` bits, none below 0 and all from 64 on."""
    if count >= BLOCK:
        return ~_ZERO
    return (_ONE << np.uint64(max(count, 0))) - _ONE


@kernel(types.uint64(BYTES, types.int64, OUT_BYTES))
def window(data: Bytes, at: Int, pad: Bytes) -> np.uint64:
    """The address of byte `at`, REACH bytes from which can be read; at the end of `data` that of a copy in `pad`.

    `pad` is uint8[REACH] and must live as long as the address is read from, which a compiler does not know: keep it
    for a loop, or take it from the caller. What the copy has beyond the end is 0.
    """
    if at + REACH <= data.size:
        return address_of(data) + np.uint64(at)
    for k in range(REACH):
        pad[k] = data[at + k] if at + k < data.size else 0
    return address_of(pad)


@kernel(UINT64_PAIR(types.uint64, types.int64))
def space_bits(address: np.uint64, left: Int) -> tuple[np.uint64, np.uint64]:
    """Bytes of whitespace characters in a block, as str.split() knows them, and those that go on into the next block.

    Nothing counts from byte `left` on, nor a character that would not end before it.
    """
    bits = equal(address, 0x20) | below(address, 0x0E) & ~below(address, 0x09)
    bits = (bits | below(address, 0x20) & ~below(address, 0x1C)) & first_bits(left)
    c2, e1, e2, e3 = equal(address, 0xC2), equal(address, 0xE1), equal(address, 0xE2), equal(address, 0xE3)
    if c2 | e1 | e2 | e3 == _ZERO:
        return bits, _ZERO
    second, third = address + _ONE, address + _TWO
    two = c2 & (equal(second, 0x85) | equal(second, 0xA0)) & first_bits(left - 1)
    zero, at_80 = equal(second, 0x80), equal(third, 0x80)
    general = below(third, 0x8B) & ~below(third, 0x80) | equal(third, 0xA8) | equal(third, 0xA9) | equal(third, 0xAF)
    three = e2 & (zero & general | equal(second, 0x81) & equal(third, 0x9F))
    three |= at_80 & (e3 & zero | e1 & equal(second, 0x9A))
    three &= first_bits(left - 2)
    leads = two | three
    return bits | leads | leads << _ONE | three << _TWO, leads >> np.uint64(63) | three >> np.uint64(62)


@kernel(types.uint64(types.uint64))
def character_bits(address: np.uint64) -> np.uint64:
    """Bytes of a block that begin a character: those that continue no other."""
    return ~(below(address, 0xC0) & ~below(address, 0x80))


@kernel(types.int64(BYTES, types.int64, types.int64, OUT_BYTES))
def characters_in(data: Bytes, start: Int, stop: Int, pad: Bytes) -> int:
    """Characters of data[start:stop]."""
    count = 0
    while start < stop:
        count += ones(character_bits(window(data, start, pad)) & first_bits(stop - start))
        start += BLOCK
    return count

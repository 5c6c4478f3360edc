"""What kernels need and Numba has no word for: functions that become LLVM instructions where a kernel calls them.

None of them checks what it is given: an address must be one that can be read or written there.
"""

import inspect
from collections.abc import Callable
from ctypes import c_void_p
from typing import Any, TypeVar, cast

import numba.extending
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.base import BaseContext

LANES = 64  # bytes that are compared at once

Result = TypeVar("Result")
_VECTOR = ir.VectorType(ir.IntType(8), LANES)
_PLACE_AND_VALUE = types.uint64(types.uint64, types.int64)


def _intrinsic(result: type[Result]) -> Callable[[Callable[..., Any]], Callable[..., Result]]:
    """`numba.extending.intrinsic`, which type checkers then see as a function that returns `result`."""

    def define(function: Callable[..., Any]) -> Callable[..., Result]:
        return cast(Callable[..., Result], numba.extending.intrinsic(function))

    return define


def _written(result: type[Result], signature: object) -> Callable[[Callable[..., ir.Value]], Callable[..., Result]]:
    """Let kernels call the LLVM code that a function emits: (builder, the value of each argument) -> the result."""

    def define(function: Callable[..., ir.Value]) -> Callable[..., Result]:
        def typed(typing: object, *arguments: object) -> tuple[object, Callable[..., ir.Value]]:
            return signature, lambda context, builder, _, values: function(builder, *values)

        vars(typed)["__signature__"] = inspect.signature(function)  # Numba inspects the parameters
        return _intrinsic(result)(typed)

    return define


def _loaded(builder: ir.IRBuilder, address: ir.Value, byte: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The vector at an address, and a vector of one byte value."""
    source = builder.inttoptr(address, ir.PointerType(_VECTOR))
    vector = builder.load(source, align=1)
    value = builder.trunc(byte, ir.IntType(8))
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return vector, builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), lanes)


@_written(np.uint64, _PLACE_AND_VALUE)
def equal(builder: ir.IRBuilder, address: ir.Value, byte: ir.Value) -> ir.Value:
    """Which of the 64 bytes at `address` equal `byte`, as bits."""
    return builder.bitcast(builder.icmp_unsigned("==", *_loaded(builder, address, byte)), ir.IntType(64))


@_written(np.uint64, _PLACE_AND_VALUE)
def below(builder: ir.IRBuilder, address: ir.Value, byte: ir.Value) -> ir.Value:
    """Which of the 64 bytes at `address` are less than `byte`, as bits."""
    return builder.bitcast(builder.icmp_unsigned("<", *_loaded(builder, address, byte)), ir.IntType(64))


@_written(np.uint8, types.uint8(types.uint64))
def load1(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """The byte at `address`."""
    return builder.load(builder.inttoptr(address, ir.PointerType(ir.IntType(8))))


@_written(np.uint64, types.uint64(types.uint64))
def load8(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """The eight bytes at `address` as a little-endian number."""
    return builder.load(builder.inttoptr(address, ir.PointerType(ir.IntType(64))), align=1)


@_written(int, types.int64(types.uint64))
def fetch(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """Ask for the cache line at `address`, which is read soon, without waiting for it. Returns 0."""
    pointer = ir.PointerType(ir.IntType(8))
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    ask = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    reading = ir.Constant(number, 0)
    everywhere = ir.Constant(number, 3)
    data = ir.Constant(number, 1)
    builder.call(ask, [builder.inttoptr(address, pointer), reading, everywhere, data])
    return ir.Constant(ir.IntType(64), 0)


@_written(int, types.int64(types.uint64, types.uint64))
def store8(builder: ir.IRBuilder, address: ir.Value, value: ir.Value) -> ir.Value:
    """Write a uint64 at `address`, little-endian. Returns 8."""
    builder.store(value, builder.inttoptr(address, ir.PointerType(ir.IntType(64))), align=1)
    return ir.Constant(ir.IntType(64), 8)


@_written(int, types.int64(types.uint64, types.uint64, types.int64))
def move(builder: ir.IRBuilder, target: ir.Value, source: ir.Value, count: ir.Value) -> ir.Value:
    """Copy `count` bytes from one address to another. Returns `count`. Numba's own assignment of a byte array took ten
    times as long."""
    pointer = ir.PointerType(ir.IntType(8))
    target = builder.inttoptr(target, pointer)
    source = builder.inttoptr(source, pointer)
    memcpy = builder.module.declare_intrinsic("llvm.memcpy", [pointer, pointer, ir.IntType(64)])
    builder.call(memcpy, [target, source, count, ir.Constant(ir.IntType(1), 0)])
    return count


@_written(np.uint64, types.uint64(types.uint64, types.uint64))
def folded_product(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """The upper half of the 128-bit product of two uint64, XORed with the lower half."""
    wide = ir.IntType(128)
    product = builder.mul(builder.zext(left, wide), builder.zext(right, wide))
    upper = builder.lshr(product, ir.Constant(wide, 64))
    return builder.trunc(builder.xor(product, upper), ir.IntType(64))


@_written(np.uint64, types.uint64(types.uint64, types.uint64))
def mersenne_product(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """The product of two numbers below 2^61, reduced modulo 2^61 - 1 to a number below 2^62."""
    wide = ir.IntType(128)
    narrow = ir.IntType(64)
    product = builder.mul(builder.zext(left, wide), builder.zext(right, wide))
    upper = builder.trunc(builder.lshr(product, ir.Constant(wide, 61)), narrow)
    lower = builder.and_(builder.trunc(product, narrow), ir.Constant(narrow, 2**61 - 1))
    return builder.add(upper, lower)


@_written(int, types.int64(types.uint64))
def ones(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """The number of set bits."""
    return builder.ctpop(bits)


@_written(int, types.int64(types.uint64))
def lowest(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """The place of the lowest set bit; 64 if none is set."""
    return builder.cttz(bits, ir.Constant(ir.IntType(1), 0))


@_written(c_void_p, types.voidptr(types.uint64))
def pointer_to(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """The address as a pointer for `numba.carray`."""
    return builder.inttoptr(address, ir.PointerType(ir.IntType(8)))


@_written(int, types.int64(types.uint64, types.uint64, types.int64))
def called(builder: ir.IRBuilder, function: ir.Value, handle: ir.Value, number: ir.Value) -> ir.Value:
    """What the function of a C library at an address, `unsigned int (*)(void *, int)`, returns."""
    word = ir.IntType(32)
    kind = ir.FunctionType(word, [ir.IntType(64), word])  # an address is passed as a pointer is
    result = builder.call(builder.inttoptr(function, ir.PointerType(kind)), [handle, builder.trunc(number, word)])
    return builder.zext(result, ir.IntType(64))


@_written(int, types.int64(types.uint64, types.uint64, types.int64, types.uint64))
def called_into(
    builder: ir.IRBuilder, function: ir.Value, handle: ir.Value, number: ir.Value, target: ir.Value
) -> ir.Value:
    """As `called`, for `unsigned int (*)(void *, int, void *)`, which writes to the address `target`."""
    word = ir.IntType(32)
    kind = ir.FunctionType(word, [ir.IntType(64), word, ir.IntType(64)])
    place = builder.inttoptr(function, ir.PointerType(kind))
    return builder.zext(builder.call(place, [handle, builder.trunc(number, word), target]), ir.IntType(64))


@_intrinsic(np.uint64)
def address_of(typing: object, data: types.Array) -> tuple[object, Callable[..., ir.Value]]:
    """The address of an array's first element."""

    def generate(context: BaseContext, builder: ir.IRBuilder, _: object, values: tuple[ir.Value, ...]) -> ir.Value:
        array = context.make_array(data)(context, builder, values[0])  # type: ignore[no-untyped-call]
        return builder.ptrtoint(array.data, ir.IntType(64))

    return types.uint64(data), generate

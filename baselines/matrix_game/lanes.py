"""Vectors of `LANES` numbers for kernels that treat several games at once, one in each lane.

In compiled code a vector is a value of LLVM's vector type, so an operation on all lanes is one instruction or a few,
whatever the processor. In plain Python it is a small NumPy array, and the same source gives the same numbers. Vectors
support arithmetic, comparisons, `&` and `|`, also with a single number, and the functions below.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from baselines.matrix_game.limits import LANES


def load(array: Any) -> Any:
    """Returns the `LANES` numbers of an array as a vector."""
    return array.copy()


def store(array: Any, vector: Any) -> None:
    """Writes a vector, or the same number for each lane, into an array of `LANES` numbers."""
    array[:] = vector


def spread(number: Any) -> Any:
    """Returns a vector with the same number in each lane."""
    return np.full(LANES, number)


def where(mask: Any, a: Any, b: Any) -> Any:
    """Returns `a` in the lanes in which `mask` is true, else `b`."""
    return np.where(mask, a, b)


def pick(array: Any, rows: Any) -> Any:
    """Returns `array[rows[k], k]` for each lane k."""
    return array[rows, np.arange(LANES)]


def any_lane(mask: Any) -> Any:
    """Returns whether the mask is true in any lane."""
    return mask.any()


# -- the same for numba -------------------------------------------------------------------

_INT = ir.IntType(64)
_ELEMENTS = {types.float64: ir.DoubleType(), types.int64: _INT, types.boolean: ir.IntType(1)}


class _Lanes(types.Type):
    def __init__(self, dtype: Any) -> None:
        self.dtype, self.llvm = dtype, ir.VectorType(_ELEMENTS[dtype], LANES)
        super().__init__(name=f"lanes({dtype})")


@register_model(_Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _Lanes) -> None:
        super().__init__(manager, kind, kind.llvm)  # type: ignore[no-untyped-call]


def _common(*kinds: Any) -> _Lanes:
    """Returns the type of a vector that is computed from vectors and numbers."""
    vectors = [kind for kind in kinds if isinstance(kind, _Lanes)]
    floats = any(isinstance(kind, types.Float) for kind in kinds)
    return vectors[0] if vectors else _Lanes(types.float64 if floats else types.int64)


def _vector(context: Any, builder: Any, value: Any, kind: Any, wanted: _Lanes) -> Any:
    """Returns a vector as it is, and a number in each lane."""
    if isinstance(kind, _Lanes):
        return value
    number = context.cast(builder, value, kind, wanted.dtype)
    undefined, first = ir.Constant(wanted.llvm, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    return builder.shuffle_vector(builder.insert_element(undefined, number, _INT(0)), undefined, first)


def _vectors(context: Any, builder: Any, values: Any, kinds: Any) -> list[Any]:
    return [_vector(context, builder, each, kind, _common(*kinds)) for each, kind in zip(values, kinds, strict=True)]


def _pointers(context: Any, builder: Any, kind: Any, array: Any, rows: Any = None) -> list[Any]:
    """Returns pointers to the elements of an array, one per lane; to those that `pick` picks if there are `rows`."""
    view = context.make_array(kind)(context, builder, array)
    start, stride = builder.ptrtoint(view.data, _INT), builder.extract_value(view.strides, 0)
    pointers = []
    for lane in range(LANES):
        row = _INT(lane) if rows is None else builder.extract_element(rows, _INT(lane))
        within = _INT(0 if rows is None else 8 * lane)
        pointers.append(
            builder.inttoptr(builder.add(builder.add(start, builder.mul(row, stride)), within), view.data.type)
        )
    return pointers


def _gathered(builder: Any, pointers: list[Any], wanted: _Lanes) -> Any:
    vector = ir.Constant(wanted.llvm, ir.Undefined)
    for lane, pointer in enumerate(pointers):
        vector = builder.insert_element(vector, builder.load(pointer), _INT(lane))
    return vector


def _contiguous(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Returns a pointer to an array as a vector; None if its elements are apart."""
    view = context.make_array(kind)(context, builder, array)
    return builder.bitcast(view.data, _Lanes(kind.dtype).llvm.as_pointer()) if kind.layout == "C" else None


def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, array = signature.args[0], arguments[0]
    pointer = _contiguous(context, builder, kind, array)
    if pointer is not None:
        return builder.load(pointer, align=8)
    return _gathered(builder, _pointers(context, builder, kind, array), signature.return_type)


def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, array = signature.args[0], arguments[0]
    vector = _vector(context, builder, arguments[1], signature.args[1], _Lanes(kind.dtype))
    pointer = _contiguous(context, builder, kind, array)
    if pointer is not None:
        builder.store(vector, pointer, align=8)
    else:
        for lane, element in enumerate(_pointers(context, builder, kind, array)):
            builder.store(builder.extract_element(vector, _INT(lane)), element)
    return context.get_dummy_value()


def _pick(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointers = _pointers(context, builder, signature.args[0], *arguments)
    return _gathered(builder, pointers, signature.return_type)


def _spread(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _vector(context, builder, arguments[0], signature.args[0], signature.return_type)


def _where(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.select(arguments[0], *_vectors(context, builder, arguments[1:], signature.args[1:]))


def _any_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    bits = ir.IntType(LANES)
    return builder.icmp_unsigned("!=", builder.bitcast(arguments[0], bits), bits(0))


def _operation(floats: str, integers: str, sign: str | None = None) -> Any:
    """Returns what writes an operation, given the names of LLVM's instructions and the sign of a comparison."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = floats if _common(*signature.args).dtype == types.float64 else integers
        operands = _vectors(context, builder, arguments, signature.args)
        return getattr(builder, name)(*([sign] if sign else []), *operands)

    return generate


def _result(a: Any, b: Any) -> Any:
    return _common(a, b) if isinstance(a, _Lanes) or isinstance(b, _Lanes) else None


def _mask(a: Any, b: Any) -> Any:
    return _Lanes(types.boolean) if isinstance(a, _Lanes) or isinstance(b, _Lanes) else None


def _register(function: Any, result: Any, generate: Any, kinds: tuple[tuple[Any, ...], ...]) -> None:
    """Tells numba the type of a function's results, and its instructions for arguments of some kinds."""
    type_callable(function)(lambda context: result)
    for each in kinds:
        lower_builtin(function, *each)(generate)  # type: ignore[no-untyped-call]


_ANY = ((types.VarArg(types.Any),),)  # type: ignore[no-untyped-call]
_register(load, lambda array: _Lanes(array.dtype), _load, _ANY)
_register(store, lambda array, vector: types.none, _store, _ANY)
_register(pick, lambda array, rows: _Lanes(array.dtype), _pick, _ANY)
_register(spread, lambda number: _common(number), _spread, _ANY)
_register(where, lambda mask, a, b: _common(a, b), _where, _ANY)
_register(any_lane, lambda mask: types.boolean, _any_lane, _ANY)
_PAIRS = ((_Lanes, _Lanes), (_Lanes, types.Number), (types.Number, _Lanes))
_register(operator.add, _result, _operation("fadd", "add"), _PAIRS)
_register(operator.sub, _result, _operation("fsub", "sub"), _PAIRS)
_register(operator.mul, _result, _operation("fmul", "mul"), _PAIRS)
_register(operator.truediv, _result, _operation("fdiv", "sdiv"), _PAIRS)
_register(operator.and_, _result, _operation("and_", "and_"), _PAIRS)
_register(operator.or_, _result, _operation("or_", "or_"), _PAIRS)
for _compare, _sign in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.eq, "==")):
    _register(_compare, _mask, _operation("fcmp_ordered", "icmp_signed", _sign), _PAIRS)

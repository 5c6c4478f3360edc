"""Arrays without an owner, for kernels that call others in a loop.

Numba counts a reference at every call for every array in it, by an atomic addition; where a call is short, as one per
word is, that can take longer than the work. A view that nobody owns is not counted.
"""

from typing import Any, Protocol, TypeVar, cast

from numba.core import cgutils

from curation.text.kernels.compiled import intrinsic

Array = TypeVar("Array")


class _Unowned(Protocol):
    def __call__(self, array: Array) -> Array: ...


def _without_owner(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = cast(Any, cgutils).get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), generate


# The same array, for a kernel's own arguments alone: what it made itself is freed after its last use, view or not.
unowned = cast(_Unowned, intrinsic(object)(_without_owner))

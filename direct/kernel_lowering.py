"""How a kernel is translated into LLVM's code: with fewer loads, stores and counts of references than Numba's translation.

Numba keeps in memory each variable that several blocks use, counts a reference for each array that is taken out of a named tuple,
and looks at the sign of each index. Most of this LLVM has to take out again. Kernels do not need it: see `KernelLowering`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering
from numba.np.arrayobj import load_item, store_item


class _KernelLower(Lower):
    """Numba's translation, for functions without `try` and `yield`.

    Attributes:
        _values: variables that are set once, before each of their uses. Each is one value of LLVM's and needs no memory.
        _untracked: variables whose types hold no reference.
        _borrowed: arguments with references, and what is taken out of those that are named tuples. The caller holds them.
    """

    def _find_singly_assigned_variable(self) -> None:
        """Numba calls this first, to find the variables that need no memory."""
        super()._find_singly_assigned_variable()
        models, kinds = self.context.data_model_manager, self.fndesc.typemap
        self._untracked = {name for name, kind in kinds.items() if not models[kind].contains_nrt_meminfo()}
        assignments = [(label, each) for label, block in self.blocks.items() for each in block.find_insts(ir.Assign)]
        times = Counter(each.target.name for _, each in assignments)
        self._values = {each.target.name: label for label, each in assignments if times[each.target.name] == 1}
        self._leave_out_early_uses()
        self._borrowed: set[str] = set()
        for _, each in assignments:
            name = each.target.name
            if name in self._values and name not in self._untracked and self._is_borrowed(each.value):
                self._borrowed.add(name)
        self._singly_assigned_vars |= {name for name in self._values if name in self._untracked or name in self._borrowed}

    def _leave_out_early_uses(self) -> None:
        """Drop the variables of `_values` with a use that may come before they are set, or is translated before."""
        dominators = compute_cfg_from_blocks(self.blocks).dominators()
        for label, names in compute_use_defs(self.blocks).usemap.items():
            for name in names:
                if name in self._values and (self._values[name] not in dominators[label] or self._values[name] > label):
                    del self._values[name]

    def _is_borrowed(self, value: Any) -> bool:
        if isinstance(value, ir.Expr) and value.op == "getattr":
            return value.value.name in self._borrowed and isinstance(self.typeof(value.value.name), types.BaseNamedTuple)
        return isinstance(value, ir.Arg)

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        """The value of an assignment; no reference is counted for a borrowed one."""
        if inst.target.name not in self._borrowed:
            return super().lower_assign(ty, inst)
        value = inst.value
        if isinstance(value, ir.Arg):
            return self.context.cast(self.builder, self.fnargs[value.index], self.typeof(f"arg.{value.name}"), ty)
        fields = self.typeof(value.value.name).fields
        return self.builder.extract_value(self.loadvar(value.value.name), fields.index(value.attr))

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Set a variable; one without references gives none back."""
        if name in self._untracked and name not in self._singly_assigned_vars:
            self.builder.store(value, self.getvar(name))
        else:
            super().storevar(value, name, argidx)

    def delvar(self, name: str) -> None:
        """End the life of a variable; one that holds no reference of its own gives none back."""
        if name not in self._untracked and name not in self._borrowed:
            super().delvar(name)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """The value of an expression."""
        if expr.op in ("getitem", "static_getitem"):
            place = self._place(expr.value, expr.index if expr.op == "getitem" else expr.index_var)
            if place is not None:
                array = self.typeof(expr.value.name)
                return self.context.cast(self.builder, load_item(self.context, self.builder, array, place), array.dtype, resty)
        return super().lower_expr(resty, expr)

    def lower_inst(self, inst: Any) -> None:
        """Translate a statement."""
        if isinstance(inst, ir.SetItem | ir.StaticSetItem):
            place = self._place(inst.target, inst.index if isinstance(inst, ir.SetItem) else inst.index_var)
            if place is not None:
                array = self.typeof(inst.target.name)
                value = self.context.cast(self.builder, self.loadvar(inst.value.name), self.typeof(inst.value.name), array.dtype)
                store_item(self.context, self.builder, array, value, place)
                return
        super().lower_inst(inst)

    def _place(self, target: Any, index: Any) -> Any:
        """The address of one element of a contiguous array; None if an expression is none.

        An index below zero does not count from the end: kernels have none, and their bounded form refuses it.
        """
        array = self.typeof(target.name)
        if index is None or not isinstance(array, types.Array) or array.layout != "C":
            return None
        kind, number = self.typeof(index.name), self.loadvar(index.name)
        kinds = getattr(kind, "types", (kind,))
        if len(kinds) != array.ndim or not all(isinstance(each, types.Integer) for each in kinds):
            return None
        builder, whole, model = self.builder, self.loadvar(target.name), self.context.data_model_manager[array]
        data = builder.extract_value(whole, model.get_field_position("data"))
        if not isinstance(kind, types.BaseTuple):
            return builder.gep(data, [self.context.cast(builder, number, kind, types.intp)])
        shape = builder.extract_value(whole, model.get_field_position("shape"))
        at = None
        for axis, each in enumerate(kinds):
            along = self.context.cast(builder, builder.extract_value(number, axis), each, types.intp)
            at = along if at is None else builder.add(builder.mul(at, builder.extract_value(shape, axis)), along)
        return builder.gep(data, [at])


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(BaseNativeLowering):
    """The step of Numba's compiler that translates a kernel.

    A variable that is set once is a value. Nothing is counted of what the caller holds. An index is not below zero.
    """

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        """What translates one kernel."""
        return _KernelLower

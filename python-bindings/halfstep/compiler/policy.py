"""Which ops run in which type: precision policies, and the one of what names none."""

from __future__ import annotations

import functools
import os
from typing import Any

from halfstep.compiler.settings import Settings, check_values
from halfstep_runtime._errors import Error, check_there, shown
from halfstep_runtime._keywords import tell_methods


class Policy(Settings):
    """Which ops run in which type: "mixed_float16", "mixed_bfloat16", "float32", "auto", other systems' lists, as "pytorch", or
    a file (docs/autocast.md). `allow`, `deny`, `infer`, `clear` and `promote` are lists of what differs: "mp.exp", "loc:encoder.*".
    Without a name it is the global policy's."""

    def __init__(self, name: str | None = None, **settings: Any) -> None:
        self.name: str = global_policy().name if name is None else name
        if not isinstance(self.name, str):
            raise Error(f"there is no policy {shown(name)}; expected a name, as 'mixed_bfloat16'", name)
        _check_name(self.name)
        self._check_names(settings, ["name", "allow", "deny", "infer", "clear", "promote"], {}, ", and others of docs/autocast.md")
        self._settings = settings

    def settings(self) -> dict[str, object]:
        return {"policy": self.name, **self._settings}

    @property
    def variable_dtype(self) -> str:
        """What parameters are kept in."""
        return "float32"

    @property
    def compute_dtype(self) -> str | None:
        """What matrix products and convolutions run in; None where the compiler decides."""
        return {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16", "float32": "float32"}.get(self.name)


tell_methods(Policy, ["__init__"])
_global: Policy | None = None


@functools.cache
def _check_name(name: str) -> None:
    """That there is a policy of that name; of a file the compiler says what is wrong, when it reads it."""
    if os.sep in name or "." in name or os.path.exists(name):
        check_there(name)
        return
    check_values({"policy": name})


def set_global_policy(policy: Policy | str) -> None:
    """The policy of what names none from now on: of `compile` of a model and of `halfstep.compile`. What was compiled before keeps
    its own, and a model that never was predicts in float32."""
    global _global
    chosen = policy_of(policy)
    check_values(chosen.settings())
    _global = chosen


def global_policy() -> Policy:
    """What `set_global_policy` said last, else "mixed_float16"."""
    return _global or Policy("mixed_float16")


def policy_of(given: Policy | str) -> Policy:
    """A policy, or that of a name."""
    if not isinstance(given, (Policy, str)):
        raise Error(f"there is no policy {shown(given)}; expected a name, as 'mixed_bfloat16', or a halfstep.Policy", given)
    return given if isinstance(given, Policy) else Policy(given)


def with_policy(settings: dict[str, object]) -> dict[str, object]:
    """Settings of a compilation, with those of the policy that they name, or of the global one."""
    given = settings.get("policy", _global)
    if not isinstance(given, Policy):
        return settings
    return {**given.settings(), **{name: one for name, one in settings.items() if name != "policy"}}

"""What layers are made of: modules, and the parameters and states in them. Users have halfstep.nn."""

from typing import TYPE_CHECKING

from halfstep.hints.elsewhere import PACKAGE


if not TYPE_CHECKING:  # which knows what there is

    def __getattr__(name: str):
        raise AttributeError(f"halfstep.layers has no '{name}'" + ("" if name.startswith("_") else f"; {PACKAGE['models']}"))

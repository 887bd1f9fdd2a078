"""What layers are made of: modules, and the parameters and states in them. Users have halfstep.nn."""

from typing import NoReturn

from halfstep.hints.elsewhere import PACKAGE


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"halfstep.layers has no '{name}'" + ("" if name.startswith("_") else f"; {PACKAGE['models']}"))

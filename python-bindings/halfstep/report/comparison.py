"""What training showed, as the table and the pages of `mp-run compare` and `mp-run report`."""

from __future__ import annotations

import html
import json
import os
import pathlib
from typing import Any, overload

from halfstep_runtime import _runtime
from halfstep_runtime._errors import Error, of_file
from halfstep_runtime._files import write

_HTML, _JSON, _TEXT = range(3)


class Comparison:
    """What training showed, of one run or of several policies: printed, the table of `mp-run compare`; in a notebook and as
    `to_html`, the page of `mp-run report`."""

    def __init__(self, text: str):
        self._json = _runtime.render_report(text, _JSON)
        document = json.loads(self._json)
        self.verdict: list[str] = document["verdict"]
        self.policies: list[dict[str, Any]] = document["policies"]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """Of a file that `mp-run compare --json`, `to_json` or, of one run, `fit(log=...)` wrote."""
        try:
            data = pathlib.Path(path).read_bytes()
        except OSError as error:
            raise of_file(path, error, "cannot open: ") from None
        try:
            if not data:
                raise Error("is empty")
            return cls(data.decode("utf-8", "replace"))
        except Error as error:
            raise Error(f"{os.fspath(path)}: {error}; expected what Comparison.to_json or fit(log=...) wrote") from None

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The text, or, where there is a path, a file of it."""
        return self._written(self._json, path)

    @overload
    def to_html(self, path: None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str]) -> None: ...

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """One page that needs nothing else: its text, or, where there is a path, a file of it."""
        return self._written(_runtime.render_report(self._json, _HTML), path)

    @staticmethod
    def _written(text: str, path: str | os.PathLike[str] | None) -> str | None:
        if path is None:
            return text
        write(path, [text.encode()])
        return None  # a notebook shows what a cell ends with

    def _repr_html_(self) -> str:
        # Its styles and its script stay in it.
        return f'<iframe sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0" srcdoc="{html.escape(self.to_html())}"></iframe>'

    def __str__(self) -> str:
        return _runtime.render_report(self._json, _TEXT)

    def __repr__(self) -> str:
        return f"<halfstep.Comparison of {', '.join(one['name'] for one in self.policies)}>"

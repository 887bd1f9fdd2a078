#!/usr/bin/python3
"""Mutants of C++ made by four operators: a negated condition, a dropped call, off by one, swapped operands.

usage: operators.py FILE

prints each mutant of the file: its line, its operator, what stands there and what the mutant has instead.

The text is cut into tokens by clang's lexer, so that nothing in a comment, a string or a directive is changed. What clang-format
does with spaces tells an operator of two operands (`a < b`) from a bracket, a pointer or a sign (`f<b>`, `*a`, `-b`). What `assert` says is
left alone, since a release build has none of it. Whether a mutant compiles, the compiler says.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys
import textwrap

LOCATION = re.compile(rb"^(\w+) '.*?'\t[^\n]*?Loc=<[^\n]*?:(\d+):(\d+)>$", re.MULTILINE | re.DOTALL)
INTEGER = re.compile(r"(0x[\da-f']+|[\d']+)([ulz]*)", re.IGNORECASE)
#: What binds more tightly has the higher number.
BINDS = {op: level for level, ops in enumerate(
    ["= += -= *= /= %= &= |= ^= <<= >>= ? :", "||", "&&", "|", "^", "&", "== !=", "< > <= >= <=>", "<< >>", "+ -", "* / %"]) for op in ops.split()}
#: Neighbours of a bound. An operand of one of these, of a difference, a quotient or a remainder may not change sides.
NEIGHBOURS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SIDED = {*NEIGHBOURS, "-", "/", "%"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
#: Words after or before which no operand goes on, and which begin no call.
KEYWORDS = {"return", "case", "else", "do", "if", "for", "while", "switch", "throw", "delete", "new", "goto", "using", "default", "co_return", "co_yield"}
ASSERTIONS = {"assert", "static_assert"}


@dataclasses.dataclass(frozen=True)
class Change:
    operator: str
    line: int
    begin: int
    end: int
    was: str
    becomes: str

    def applied(self, text):
        content = text.encode()
        return (content[:self.begin] + self.becomes.encode() + content[self.end:]).decode()

    def __str__(self):
        was, becomes = (textwrap.shorten(part, 120) for part in (self.was, self.becomes))
        return f"{self.operator}: '{was}'" + (f" becomes '{becomes}'" if becomes else "")


@dataclasses.dataclass(frozen=True)
class Token:
    text: str
    line: int
    begin: int
    end: int

    @property
    def is_word(self):
        return bool(re.fullmatch(r"[A-Za-z_]\w*", self.text)) and self.text not in KEYWORDS


class Source:
    """A text's tokens without blanks, comments and directives, and which bracket ends where."""

    def __init__(self, text):
        self.content = text.encode()
        directives = self.directives()
        self.tokens = [token for token in self.all_tokens() if token.line not in directives]
        self.partner, open_ones = {}, []
        for place, token in enumerate(self.tokens):
            if token.text in OPENING:
                open_ones.append(place)
            elif token.text in CLOSING and open_ones:
                self.partner[place] = open_ones.pop()
                self.partner[self.partner[place]] = place
        self.asserted = {inner for place, token in enumerate(self.tokens) if token.text in ASSERTIONS
                         for inner in range(place, self.partner.get(place + 1, place))}

    def all_tokens(self):
        made = subprocess.run(["clang++-22", "-fsyntax-only", "-x", "c++", "-std=c++20", "-Xclang", "-dump-raw-tokens", "-"],
                              input=self.content, capture_output=True)
        if made.returncode:
            raise RuntimeError(made.stderr.decode())
        starts = [0] + [match.end() for match in re.finditer(rb"\n", self.content)]
        found = [(match[1], int(match[2]), starts[int(match[2]) - 1] + int(match[3]) - 1) for match in LOCATION.finditer(made.stderr)]
        ends = [begin for _, _, begin in found[1:]] + [len(self.content)]
        return [Token(self.content[begin:end].decode(), line, begin, end) for (kind, line, begin), end in zip(found, ends)
                if kind not in (b"unknown", b"comment", b"eof")]

    def directives(self):
        """The lines of the preprocessor, with those that a backslash adds."""
        lines, inside = set(), False
        for number, line in enumerate(self.content.split(b"\n"), 1):
            if inside or line.lstrip().startswith(b"#"):
                lines.add(number)
                inside = line.endswith(b"\\")
        return lines

    def text(self, first, last):
        """What stands from one token to another, both included."""
        return self.content[self.tokens[first].begin:self.tokens[last].end].decode()

    def at(self, place):
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def is_apart(self, place):
        """Whether there is something blank before a token."""
        return place == 0 or self.tokens[place - 1].end != self.tokens[place].begin

    def is_binary(self, place):
        return self.at(place) in BINDS and self.is_apart(place) and place + 1 < len(self.tokens) and self.is_apart(place + 1)

    def change(self, operator, place, first, last, becomes):
        return Change(operator, self.tokens[place].line, self.tokens[first].begin, self.tokens[last].end, self.text(first, last), becomes)

    def operand(self, place, step, level):
        """The far end of what an operator has on its left (step -1) or right (1): what binds as tightly as `level` or more."""
        end, here = place, place + step
        while 0 <= here < len(self.tokens):
            text = self.at(here)
            if text in (",", ";") or text in KEYWORDS or (self.is_binary(here) and BINDS[text] < level):
                break
            if text in (OPENING if step > 0 else CLOSING):
                # A block of statements is no operand.
                if here not in self.partner or (text == "}" and self.is_apart(self.partner[here])):
                    break
                here = self.partner[here]
            elif text in OPENING or text in CLOSING:
                break
            end, here = here, here + step
        return end

    def pieces(self, opening):
        """The arguments between two brackets, each by its first and last token."""
        first, here, end = opening + 1, opening + 1, self.partner[opening]
        while here < end:
            if self.at(here) == ",":
                yield first, here - 1
                first = here + 1
            here = self.partner.get(here, here) + 1 if self.at(here) in OPENING else here + 1
        if first < end:
            yield first, end - 1

    def declares(self, first, last):
        """Whether an argument is a parameter (`int64_t n`, `Value *v`), so that its call is a declaration."""
        here = first
        while here < last:
            if self.at(here) in OPENING:
                here = self.partner.get(here, here)
            elif self.at(here) == "const":
                return True
            elif self.tokens[here].is_word or self.at(here) == ">":
                follows = here + 1
                if self.at(follows) in ("*", "&", "&&") and self.is_apart(follows):
                    follows += 0 if self.is_apart(follows + 1) else 1
                if self.tokens[follows].is_word and self.is_apart(here + 1):
                    return True
            here += 1
        return False


def negated_conditions(source, place):
    if source.at(place) in ("if", "while") and source.at(place + 1) == "(" and place + 1 in source.partner:
        first, last = place + 2, source.partner[place + 1] - 1
        inside = range(first, last + 1)
        first = max([at + 1 for at in inside if source.at(at) == ";"], default=first)
        if not any(source.at(at) == "=" for at in inside if at >= first):
            yield source.change("negated condition", place, first, last, f"!({source.text(first, last)})")
    elif source.at(place) == "?" and source.is_binary(place):
        first = source.operand(place, -1, 1)
        if first < place:
            yield source.change("negated condition", place, first, place - 1, f"!({source.text(first, place - 1)})")


def begins_statement(source, place):
    before = source.at(place - 1)
    if before == ")":
        opening = source.partner.get(place - 1, 0)
        return source.at(opening - 1) in ("if", "for", "while", "constexpr")
    return before in (";", "{", "}", "else", "do")


def dropped_calls(source, place):
    if not (source.tokens[place].is_word or source.at(place) == "::") or not begins_statement(source, place):
        return
    here, joined = place, True
    while source.at(here) != ";":
        text = source.at(here)
        if text in ("(", "[") and not joined and here in source.partner:
            here = source.partner[here]
        elif text == "<" and not source.is_apart(here) and not joined:
            depth = 0
            while here < len(source.tokens) and source.at(here) not in (";", "{"):
                depth += {"<": 1, ">": -1, ">>": -2}.get(source.at(here), 0)
                if depth <= 0:
                    break
                here += 1
        elif text in (".", "->", "::"):
            joined = True
            here += 1
            continue
        elif not (joined and source.tokens[here].is_word):
            return
        joined = False
        here += 1
    if source.at(here - 1) == ")":
        yield source.change("dropped call", place, place, here - 1, "")


def off_by_one(source, place):
    text = source.at(place)
    if text in NEIGHBOURS and source.is_binary(place):
        yield source.change("off by one", place, place, place, NEIGHBOURS[text])
    number = INTEGER.fullmatch(text)
    # SmallVector<Value, 4>: how many elements it has room for is no behaviour.
    bracket = (source.at(place + 1) == ">" and not source.is_apart(place + 1)) or (source.at(place - 1) == "<" and not source.is_apart(place))
    if number and not bracket:
        digits = number[1].replace("'", "")
        value = int(digits, 16 if digits[:2].lower() == "0x" else 8 if digits[0] == "0" else 10) + 1
        yield source.change("off by one", place, place, place, (hex(value) if digits[:2].lower() == "0x" else str(value)) + number[2])


def swapped_operands(source, place):
    text = source.at(place)
    if text in SIDED and source.is_binary(place):
        level = BINDS[text]
        first, last = source.operand(place, -1, level), source.operand(place, 1, level + 1)
        if first < place < last:
            left, right = source.text(first, place - 1), source.text(place + 1, last)
            chained = any(source.is_binary(at) and BINDS[source.at(at)] == level for at in range(first, place))
            if left != right:
                yield source.change("swapped operands", place, first, last, f"{right} {text} {f'({left})' if chained else left}")
    elif text == "(" and place in source.partner and not source.is_apart(place) and (source.tokens[place - 1].is_word or source.at(place - 1) == ">"):
        pieces = list(source.pieces(place))
        if any(source.declares(*piece) for piece in pieces):
            return
        for (first, middle), (next_first, last) in zip(pieces, pieces[1:]):
            left, right = source.text(first, middle), source.text(next_first, last)
            if left != right and left.startswith('"') == right.startswith('"'):
                yield source.change("swapped operands", first, first, last, f"{right}, {left}")


def changes(text):
    """Every mutant of a text, in the order of the text."""
    source = Source(text)
    return [change for place in range(len(source.tokens)) if place not in source.asserted
            for operator in (negated_conditions, dropped_calls, off_by_one, swapped_operands) for change in operator(source, place)]


if __name__ == "__main__":
    for made in changes(pathlib.Path(sys.argv[1]).read_text()):
        print(f"{made.line}: {made}")

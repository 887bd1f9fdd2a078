"""Every verb and flag that the table of names elsewhere means is one of mp-run's, and told where the other is given.

usage: elsewhere_flags.py ELSEWHERE_CPP MODEL
"""

import pathlib
import re
import subprocess
import sys


def said(*words):
    done = subprocess.run(["mp-run", *words], capture_output=True, text=True)
    return done.stdout + done.stderr


table, model = pathlib.Path(sys.argv[1]).read_text(), sys.argv[2]
names = re.findall(r'\{"([^"]+)", "([^"]+)"\}', table)
verbs = re.findall(r"^  ([a-z]+) {2,}", said("--help").partition("Subcommands:")[2], re.MULTILINE)
flags = {verb: re.findall(r"(--[a-z0-9-]+)", said(verb, "--help")) for verb in verbs}
told = 0
for word, meant in names:
    end = f"; did you mean '{meant}'?\n"
    if not word.startswith("--"):
        assert meant in verbs and word not in verbs and said(word).endswith(end), (word, meant, said(word))
        told += 1
        continue
    places = [verb for verb in ("train", "compare", "infer") if meant in flags[verb] and word not in flags[verb]]
    assert places, (word, meant)
    for verb in places:
        for written in (word, "--" + word[2:].replace("-", "_")):
            assert said(verb, model, f"{written}=1").endswith(end), (verb, written, meant, said(verb, model, f"{written}=1"))
        told += 1
assert len(names) > 30 and told > len(names), (names, told)

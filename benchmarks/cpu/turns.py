"""Samples of several participants, taken in turns."""

import dataclasses
import statistics
import time


@dataclasses.dataclass
class Times:
    """Seconds of one run."""

    median: float
    min: float
    max: float
    samples: int
    runs: int

    @classmethod
    def of(cls, seconds, runs):
        return cls(statistics.median(seconds), min(seconds), max(seconds), len(seconds), runs)


def clock_of(threads):
    """One thread is timed by what the processor gave its process, so that other work on the machine does not count; more
    are timed by the wall's clock."""
    return time.process_time if threads == 1 else time.perf_counter


class Participant:
    """`repeat` does the work so many times, in this process."""

    def __init__(self, repeat, threads):
        self.repeat, self.clock = repeat, clock_of(threads)

    def sample(self, runs):
        """The seconds of one run."""
        begin = self.clock()
        self.repeat(runs)
        return (self.clock() - begin) / runs


def calls(action, threads):
    def repeat(runs):
        for _ in range(runs):
            action()

    return Participant(repeat, threads)


@dataclasses.dataclass(frozen=True)
class Budget:
    row: float  # seconds that the samples of a row should take
    limit: float  # seconds of a run that is not repeated: it counts alone
    sample: float = 5e-3  # seconds that a sample takes at least
    least: int = 3
    most: int = 25
    pause: float = 0.0  # seconds before each sample: threads of other libraries that wait for work go to sleep


def take_turns(participants, budget):
    """The Times of each, by its name. One whose first run takes longer than the limit has that one alone."""
    runs, results, costs = {}, {}, 0.0
    for name, participant in participants.items():
        first = participant.sample(1)
        if first > budget.limit:
            results[name] = Times.of([first], 1)
            continue
        if first < 0.1:
            first = min(first, participant.sample(1))
        runs[name] = max(1, min(1000, round(budget.sample / max(first, 1e-7))))
        costs += runs[name] * first + budget.pause
    if not runs:
        return results
    count = max(budget.least, min(budget.most, int(budget.row / costs)))
    seconds = {name: [] for name in runs}
    for turn in range(count):
        # Who comes first changes: what one leaves in the caches is no other's burden alone.
        order = list(runs)
        for name in order[turn % len(order):] + order[: turn % len(order)]:
            if budget.pause:
                time.sleep(budget.pause)
            seconds[name].append(participants[name].sample(runs[name]))
    results.update({name: Times.of(values, runs[name]) for name, values in seconds.items()})
    return {name: results[name] for name in participants}

#!/usr/bin/env python3
"""Matrix products of OpenBLAS in a process of its own, since it chooses its kernels when it is loaded.

usage: openblas.py THREADS   (with OPENBLAS_CORETYPE in the environment, or without)

The child prints what it chose, then answers lines: `gemm LEFT RIGHT M N K` makes random factors and checks a product of
them, `sample RUNS` is answered with the seconds of one.
"""

import ctypes
import os
import subprocess
import sys

ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
LIBRARY = "libopenblas.so.0"
# What is tried beside the library's own choice, by our CPU level.
WIDE, NARROW = ["SKYLAKEX", "COOPERLAKE", "SAPPHIRERAPIDS"], ["HASWELL", "ZEN"]


class Server:
    """The parent's end."""

    def __init__(self, core, threads):
        # Waiting threads sleep soon, and do not take the processor from who is sampled next.
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OPENBLAS_THREAD_TIMEOUT="18")
        environment.pop("OPENBLAS_CORETYPE", None)
        if core:
            environment["OPENBLAS_CORETYPE"] = core
        self.process = subprocess.Popen([sys.executable, __file__, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)
        self.config = self.process.stdout.readline().strip()
        self.label = f"OpenBLAS {core or 'default'}"

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise RuntimeError(f"{self.label}: {answer or 'ended'}")
        return answer

    def prepare(self, transposes, sizes):
        self.ask("gemm " + " ".join(str(int(number)) for number in (*transposes, *sizes)))

    def sample(self, runs):
        return float(self.ask(f"sample {runs}"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def is_there():
    try:
        ctypes.CDLL(LIBRARY)
        return True
    except OSError:
        return False


def best_server(threads, level):
    """The fastest of the core types that start here, on a product of 1024 cubed, and what each did in GF/s."""
    cores = [None] + (WIDE if level.startswith(("avx512", "amx")) else NARROW)
    rates, best = {}, None
    for core in cores:
        server = Server(core, threads)
        try:
            server.prepare((False, False), (1024, 1024, 1024))
            server.sample(1)
            rates[server] = 2 * 1024**3 / min(server.sample(1) for _ in range(3)) / 1e9
        except (RuntimeError, OSError):
            server.close()
    for server in sorted(rates, key=rates.get):
        if best:
            best.close()
        best = server
    return best, {server.label: (server.config, rate) for server, rate in rates.items()}


class Worker:
    """The child's end."""

    def __init__(self, threads):
        import numpy

        import turns
        self.numpy, self.turns, self.threads = numpy, turns, threads
        self.library = ctypes.CDLL(LIBRARY)
        self.library.openblas_get_config.restype = ctypes.c_char_p
        self.library.openblas_set_num_threads(threads)
        print(self.library.openblas_get_config().decode(), flush=True)

    def gemm(self, left, right, m, n, k):
        numpy, random = self.numpy, self.numpy.random.default_rng(0)
        a = random.standard_normal((k, m) if left else (m, k), numpy.float32)
        b = random.standard_normal((n, k) if right else (k, n), numpy.float32)
        c = numpy.zeros((m, n), numpy.float32)
        address = ctypes.POINTER(ctypes.c_float)
        pointers = [array.ctypes.data_as(address) for array in (a, b, c)]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        flags = [TRANSPOSED if flag else PLAIN for flag in (left, right)]

        def run():
            self.library.cblas_sgemm(ROW_MAJOR, *flags, m, n, k, one, pointers[0], a.shape[1], pointers[1], b.shape[1], zero,
                                     pointers[2], n)

        run()
        expected = (a[:, :1].T if left else a[:1]) @ (b.T if right else b)
        if not numpy.allclose(c[:1], expected, atol=1e-3 * k**0.5):
            return "error: a wrong product"
        self.kept, self.participant = (a, b, c), self.turns.calls(run, self.threads)
        return "ready"

    def serve(self):
        for line in sys.stdin:
            command, *numbers = line.split()
            numbers = list(map(int, numbers))
            print(self.gemm(*numbers) if command == "gemm" else self.participant.sample(*numbers), flush=True)


if __name__ == "__main__":
    Worker(int(sys.argv[1])).serve()

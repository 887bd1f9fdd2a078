#!/usr/bin/env python3
"""Which kernels PyTorch multiplies with here: a process of its own with the libraries' logs on.

usage: peer_kernels.py   (started by compare.py, prints lines for a person)
"""

import os
import re
import subprocess
import sys


def described():
    """Lines such as "PyTorch bf16: oneDNN brg_matmul:avx512_core_bf16"."""
    environment = dict(os.environ, ONEDNN_VERBOSE="1", MKL_VERBOSE="1")
    log = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment).stdout
    found = {}
    isa = re.search(r"info,cpu,isa:(.*)", log)
    mkl = re.search(r"MKL_VERBOSE (.*? for Intel\(R\) 64 architecture (.*?)), Lnx", log)
    for kind, part in re.findall(r"^begin (\w+)\n(.*?)^end$", log, re.M | re.S):
        implementation = re.findall(r"exec,cpu,(?:matmul|inner_product|convolution),([^,]+)", part)
        if implementation:
            found[kind] = f"oneDNN {implementation[-1]}" + (f" ({isa[1]})" if isa else "")
        elif "GEMM" in part:
            name = re.findall(r"MKL_VERBOSE (\w*GEMM\w*)", part)[-1]
            found[kind] = f"MKL {name}" + (f" ({mkl[1]})" if mkl else "")
        else:
            found[kind] = "loops of its own"
    return found


def main():
    import torch
    torch.set_num_threads(1)
    for kind, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16), ("f16", torch.float16)):
        a = torch.randn(256, 256).to(dtype)
        print(f"begin {kind}", flush=True)
        torch.matmul(a, a)
        print("end", flush=True)


if __name__ == "__main__":
    main()

// The same kernels for a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled by clang for NVPTX: a kernel has a pointer for each buffer, and the first thread of a block
// does the block's work in the same code as on a processor. It is slow and exact, which is what tests of
// the runtime need.

#define infer_row infer_row_block
#define train_row train_row_block
#define evaluate evaluate_block
#define train_update train_update_block
#define accumulate_update accumulate_update_block
#define apply_update apply_update_block
#include "Runtime/TinyModelKernels.c"
#undef infer_row
#undef train_row
#undef evaluate
#undef train_update
#undef accumulate_update
#undef apply_update

/// The last buffer is a block's scratch, of which a GPU's launch has none.
#define KERNEL(name, parameters, ...)                                                                                  \
  __attribute__((device_kernel)) void name parameters {                                                                \
    float scratch[kClasses];                                                                                           \
    void *buffers[] = {__VA_ARGS__, scratch};                                                                          \
    if (__nvvm_read_ptx_sreg_tid_x() == 0)                                                                             \
      name##_block(buffers, __nvvm_read_ptx_sreg_ctaid_x());                                                           \
  }

typedef void *P;

KERNEL(infer_row, (P a, P b, P c), a, b, c)
KERNEL(train_row, (P a, P b, P c, P d), a, b, c, d)
KERNEL(evaluate, (P a, P b, P c, P d, P e, P f), a, b, c, d, e, f)
KERNEL(train_update, (P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l, P m, P n, P o, P p, P q), a, b, c, d,
       e, f, g, h, i, j, k, l, m, n, o, p, q)
KERNEL(accumulate_update, (P a, P b, P c, P d, P e, P f, P g, P h, P i), a, b, c, d, e, f, g, h, i)
KERNEL(apply_update, (P a, P b, P c, P d, P e, P f, P g, P h, P i, P j), a, b, c, d, e, f, g, h, i, j)

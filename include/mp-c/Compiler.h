/* Compiling models from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libHalfstep.so: the compiler. It takes a model's text and writes an executable, which
 * libHalfstepRuntime.so runs. MLIR is not exposed. Calls are independent of each other and may come
 * from several threads at once.
 */
#ifndef MP_C_COMPILER_H
#define MP_C_COMPILER_H

#include "mp-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Compiles `length` bytes of MLIR text to the file `executable`. `name` stands for the text in
 * messages. Each of the `count` settings is "name=value" as `mp-run compile --help` lists them:
 * "policy=mixed_float16", "batch-size=128". The error holds every diagnostic, one per line.
 */
MP_EXPORTED MpStatus *mpCompile(const char *text, size_t length, const char *name, const char *const *settings,
                                size_t count, const char *executable);

#ifdef __cplusplus
}
#endif

#endif /* MP_C_COMPILER_H */

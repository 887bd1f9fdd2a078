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

/* The names of all settings, separated by line feeds; a static string. */
MP_EXPORTED const char *mpSettingNames(void);

/* NOLINTBEGIN(readability-identifier-naming): constants of C, which has no scopes for them. */
typedef enum MpSeverity { MP_ERROR = 0, MP_WARNING = 1, MP_NOTE = 2, MP_REMARK = 3 } MpSeverity;
/* NOLINTEND(readability-identifier-naming) */

/* One thing that the compiler says. A note belongs to what came before it. */
typedef struct MpDiagnostic {
  size_t size; /* of this struct */
  MpSeverity severity;
  const char *file; /* "" where no place in a text is known; then line and column are 0 */
  unsigned line;
  unsigned column;
  const char *message; /* begins with the name that the op has at its location, if any: "in 'dense1': ..." */
} MpDiagnostic;

/* What is called with each diagnostic, in order, by the thread that compiles. The texts live as long as the call. */
typedef void (*MpDiagnosticHandler)(const MpDiagnostic *diagnostic, void *user);

/* What a compilation is asked for. Zeros stand for nothing asked. */
typedef struct MpCompileOptions {
  size_t size; /* of this struct */
  const char *const *settings;
  size_t count;
  const char *stage;   /* the last stage, as `mp-run compile --compile-to` names them; null for the executable */
  const char *remarks; /* a regular expression: the remarks of categories that match are told; null for none */
  const char *cache;   /* the folder of kernels compiled before, as --compile-cache; null for none */
  MpDiagnosticHandler onDiagnostic; /* or null */
  void *user;                       /* its last argument */
  /* Called with the model's text behind each stage that has one, by the thread that compiles; or null. The texts live
   * as long as the call. */
  void (*onStage)(const char *stage, const char *text, void *user);
  /* Called with each stage that is passes as it begins, with zeros, and as "kernels" with how many of how many are
   * made, from any thread, one call at a time; or null. */
  void (*onProgress)(const char *stage, size_t done, size_t count, void *user);
} MpCompileOptions;

/* Compiles into memory: the executable, or the text of a stage. `options` may be null. */
MP_EXPORTED MpStatus *mpCompileToBytes(const char *text, size_t length, const char *name,
                                       const MpCompileOptions *options, MpBytes **result);

/* What autocast decides for the model, and why: `json` receives the document of `mp-run explain --json`. Of `options`,
 * which may be null, neither stage nor cache is read. */
MP_EXPORTED MpStatus *mpExplain(const char *text, size_t length, const char *name, const MpCompileOptions *options,
                                MpBytes **json);

/* Looks into steps of a training run for the op that makes values that are not finite. Used by one thread at a time. */
typedef struct MpNonfiniteFinder MpNonfiniteFinder;

/* Of the model and the options that the run was compiled with. The texts are copied. */
MP_EXPORTED MpStatus *mpNonfiniteFinderCreate(const char *text, size_t length, const char *name,
                                              const MpCompileOptions *options, MpNonfiniteFinder **finder);

/* For MpTraining's onInputs, with what that is given. The first step that is skipped, or whose loss or state is not
 * finite, is computed again, op by op, and `found` receives what `mp-run train --find-nonfinite` reports of it, as a
 * JSON object; else null. `goesOn` receives 0 where there is nothing to see any more. */
MP_EXPORTED MpStatus *mpNonfiniteFinderSee(MpNonfiniteFinder *finder, const MpStep *step, const MpStepInputs *inputs,
                                           MpBytes **found, int *goesOn);
MP_EXPORTED void mpNonfiniteFinderDestroy(MpNonfiniteFinder *finder);

/* A model that is being made: one function, of which values have numbers from 0. Used by one thread at a time. */
typedef struct MpModel MpModel;

MP_EXPORTED MpStatus *mpModelCreate(const char *name, MpModel **model);
MP_EXPORTED void mpModelDestroy(MpModel *model);

/* Adds an argument of a type ("tensor<?x784xf32>") with attributes in MLIR's text, as in
 * "{mp.parameter = \"w\", mp.initializer = #mp.zeros}" (docs/IR.md lists them); `name` is what it is called in the
 * text. */
MP_EXPORTED MpStatus *mpModelAddArgument(MpModel *model, const char *name, const char *type, const char *attributes,
                                         int64_t *value);

/* One op and where it is from. */
typedef struct MpModelOp {
  size_t size;             /* of this struct */
  const char *op;          /* "mp.matmul" */
  const int64_t *operands; /* values, in the order of the op's definition, without those left out */
  size_t operandCount;
  const char
      *attributes;    /* as "{transpose_rhs, acc = f32}", or null; what the op's text may leave out may be left out */
  const char *result; /* the type of the result, or of its elements, where the rest does not say it; else null */
  const char *name;   /* what `loc:` in a policy and diagnostics call it, as "encoder.0.attention"; or null */
  const char *file;   /* where the user wrote it; or null */
  unsigned line;
} MpModelOp;

/* Adds an op, which is verified at once. `results` has room for `capacity` values and receives those of the op, `count`
 * how many they are. Where there are more than there is room for, that is an error that adds nothing, and `count` says
 * how much is needed. */
MP_EXPORTED MpStatus *mpModelAddOp(MpModel *model, const MpModelOp *op, int64_t *results, size_t capacity,
                                   size_t *count);

/* What is added until it is closed is in a region of autocast: on, with a low type ("bf16", or null for the policy's),
 * or off. Regions nest. Values that were made in one are used after it as any other. */
MP_EXPORTED MpStatus *mpModelOpenAutocast(MpModel *model, int enabled, const char *type);
MP_EXPORTED MpStatus *mpModelCloseAutocast(MpModel *model);

/* The type of a value, as "tensor<?x10xf32>"; null for a number that is none. Lives as long as the model. */
MP_EXPORTED const char *mpModelType(const MpModel *model, int64_t value);

/* Adds a result with attributes, as in "{mp.loss}". */
MP_EXPORTED MpStatus *mpModelAddResult(MpModel *model, int64_t value, const char *attributes);

/* The model's text, verified as a whole, as mp-run takes it; with `locations` each op says where it is from. */
MP_EXPORTED MpStatus *mpModelText(const MpModel *model, int locations, MpBytes **text);

#ifdef __cplusplus
}
#endif

#endif /* MP_C_COMPILER_H */

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
/* A copy of what was made so far, whose values have the same numbers. */
MP_EXPORTED MpStatus *mpModelCopy(const MpModel *model, MpModel **copy);
MP_EXPORTED void mpModelDestroy(MpModel *model);

/* The type of a tensor. A size of -1 is open: that of the batch, which is not known yet. */
typedef struct MpTensorType {
  MpElementType element;
  int64_t rank;
  const int64_t *shape;
} MpTensorType;

/* NOLINTBEGIN(readability-identifier-naming) */
/* What an argument or a result of the model is (docs/IR.md, 1). */
typedef enum MpRole {
  MP_ROLE_INPUT = 0,     /* an argument that each run is given */
  MP_ROLE_PARAMETER = 1, /* an argument that training changes by its gradient */
  MP_ROLE_STATE = 2,     /* an argument that a run changes by the result of role next */
  MP_ROLE_OUTPUT = 3,
  MP_ROLE_LOSS = 4, /* without a name */
  MP_ROLE_METRIC = 5,
  MP_ROLE_NEXT = 6 /* the next value of the state of that name */
} MpRole;

/* How a parameter or a state gets its first value. */
typedef enum MpInitializerKind {
  MP_ZEROS = 0,
  MP_ONES = 1,
  MP_CONSTANT = 2,       /* first: the value */
  MP_NORMAL = 3,         /* first, second: mean, standard deviation; of two standard deviations */
  MP_UNIFORM = 4,        /* first, second: low, high */
  MP_GLOROT_UNIFORM = 5, /* by the sizes of the parameter */
  MP_GLOROT_NORMAL = 6,
  MP_HE_UNIFORM = 7,
  MP_HE_NORMAL = 8
} MpInitializerKind;
/* NOLINTEND(readability-identifier-naming) */

typedef struct MpInitializer {
  MpInitializerKind kind;
  double first;
  double second;
  int64_t seed; /* of random ones: which stream of random numbers */
} MpInitializer;

/* One argument of a model. */
typedef struct MpModelArgument {
  size_t size; /* of this struct */
  const char *name;
  MpRole role;
  MpTensorType type;
  const MpInitializer *initializer; /* of a parameter or a state; null for none, as of the state of random numbers */
} MpModelArgument;

MP_EXPORTED MpStatus *mpModelAddArgument(MpModel *model, const MpModelArgument *argument, int64_t *value);

/* NOLINTBEGIN(readability-identifier-naming) */
/* Which members of an MpAttribute say its value. */
typedef enum MpAttributeKind {
  MP_ATTRIBUTE_NONE = 0,     /* no value that an attribute could have: always an error, at its name */
  MP_ATTRIBUTE_TRUTH = 1,    /* integer: a bool, or a unit that is there or not */
  MP_ATTRIBUTE_INTEGER = 2,  /* integer */
  MP_ATTRIBUTE_NUMBER = 3,   /* number */
  MP_ATTRIBUTE_INTEGERS = 4, /* integers, count */
  MP_ATTRIBUTE_WORD = 5,     /* word: of an enumeration, as "lt", or "same" and "valid" of padding */
  MP_ATTRIBUTE_ELEMENT = 6,  /* element: the element type that it is */
  MP_ATTRIBUTE_TENSOR = 7    /* tensor, and the element type of its data */
} MpAttributeKind;
/* NOLINTEND(readability-identifier-naming) */

/* One attribute of an op, by its name in the op's definition (docs/ops.md). What the definition asks for is made of the
 * value: an integer may be a float, or a list of one. Names with a dialect's prefix are added to any op. */
typedef struct MpAttribute {
  size_t size; /* of this struct */
  const char *name;
  MpAttributeKind kind;
  int64_t integer;
  double number;
  const int64_t *integers;
  size_t count;
  const char *word;
  MpElementType element; /* of a tensor, that of its data: tensor.element, or MP_F64, which is rounded to that */
  MpTensor tensor;
} MpAttribute;

/* One op and where it is from. */
typedef struct MpModelOp {
  size_t size;             /* of this struct */
  const char *op;          /* "mp.matmul" */
  const int64_t *operands; /* values, in the order of the op's definition; -1 for an optional one that is left out */
  size_t operandCount;
  const MpAttribute *attributes; /* what the op's text may leave out may be left out */
  size_t attributeCount;
  /* The type of the result where it does not follow from operands and attributes, else null; with a rank of -1 the
   * element type alone, as of mp.cast. */
  const MpTensorType *result;
  const char *name; /* what `loc:` in a policy and diagnostics call it, as "encoder.0.attention"; or null */
  const char *file; /* where the user wrote it; or null */
  unsigned line;
} MpModelOp;

/* Adds an op, which is verified at once. `results` has room for `capacity` values and receives those of the op, `count`
 * how many they are. Where there are more than there is room for, that is an error that adds nothing, and `count` says
 * how much is needed. The error says what it is about (mpStatusFault). */
MP_EXPORTED MpStatus *mpModelAddOp(MpModel *model, const MpModelOp *op, int64_t *results, size_t capacity,
                                   size_t *count);

/* What is added until it is closed is in a region of autocast: on, with a low type (`element` points to MP_F16,
 * MP_BF16 or MP_F32, or is null for the policy's), or off. Regions nest. Values that were made in one are used after it
 * as any other. */
MP_EXPORTED MpStatus *mpModelOpenAutocast(MpModel *model, int enabled, const MpElementType *element);
MP_EXPORTED MpStatus *mpModelCloseAutocast(MpModel *model);

/* The type of a value, whose shape lives as long as the model. An error for a number that is no value. */
MP_EXPORTED MpStatus *mpModelType(const MpModel *model, int64_t value, MpTensorType *type);

/* Adds a result: an output, the loss, a metric, or the next value of a state. `name` is null for the loss. */
MP_EXPORTED MpStatus *mpModelAddResult(MpModel *model, int64_t value, MpRole role, const char *name);

/* Says that a model without open sizes is one of batches of `batch` rows, after all results are added. `inputs` are
 * arguments of role input whose first size is `batch`; the runtime cuts data for these into batches. A metric whose
 * first size is `batch` has a value for each row. Rows may depend on each other, so the runtime fills up no batch.
 * Errors: `batch` is below 1; an input is no argument of that role, or has another first size. */
MP_EXPORTED MpStatus *mpModelSetBatch(MpModel *model, int64_t batch, const int64_t *inputs, size_t count);

/* The model's text, verified as a whole, as mp-run takes it; with `locations` each op says where it is from. */
MP_EXPORTED MpStatus *mpModelText(const MpModel *model, int locations, MpBytes **text);

/* Compiles the model as mpCompileToBytes does its text, which is never made. `name` stands for the model in messages.
 * The model stays as it is. */
MP_EXPORTED MpStatus *mpModelCompile(const MpModel *model, const char *name, const MpCompileOptions *options,
                                     MpBytes **result);

#ifdef __cplusplus
}
#endif

#endif /* MP_C_COMPILER_H */

/* Running Halfstep executables from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libHalfstepRuntime.so: reads an executable, runs its programs, trains. It holds no LLVM and throws
 * no exceptions. Handles are opaque; each has a destroy function that takes null as well. A session
 * is used by one thread at a time: while a call is under way, one of another thread is an error, and
 * callbacks may use the session on. A struct that may grow begins with its size: who
 * makes one sets `size` to sizeof, and the other side touches no member beyond it.
 *
 *   MpSession *session = NULL;
 *   MpStatus *status = mpSessionCreate("model.mpx", "cpu", 0, &session);
 *   if (status) {
 *     fprintf(stderr, "%s\n", mpStatusMessage(status));
 *     mpStatusDestroy(status);
 *   }
 */
#ifndef MP_C_RUNTIME_H
#define MP_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_EXPORTED __attribute__((visibility("default")))

/* An error with a message; success is a null pointer. */
typedef struct MpStatus MpStatus;

/* The message, one line; "" for success. Lives as long as the status. */
MP_EXPORTED const char *mpStatusMessage(const MpStatus *status);
MP_EXPORTED void mpStatusDestroy(MpStatus *status);

/* NOLINTBEGIN(readability-identifier-naming): constants of C, which has no scopes for them. */
/* The kind of an error. Numbers stay what they are. */
typedef enum MpFaultCode {
  MP_FAULT_OTHER = 0,                /* the text alone says it */
  MP_FAULT_UNKNOWN_OP = 1,           /* `op`; `known` are those that there are */
  MP_FAULT_OPERAND_COUNT = 2,        /* `op` takes another number of operands */
  MP_FAULT_OPERAND_TYPE = 3,         /* `operand` of `op`, called `name`: none of `elements` */
  MP_FAULT_ELEMENT_TYPES_DIFFER = 4, /* `operand` and `other` of `op` are to have one element type */
  MP_FAULT_UNKNOWN_ATTRIBUTE = 5,    /* `op` has no attribute `name`; `known` are those that it has */
  MP_FAULT_MISSING_ATTRIBUTE = 6,    /* `op` needs the attribute `name` */
  MP_FAULT_ATTRIBUTE_KIND =
      7, /* the attribute `name` of `op` is no `value`: integer, integers, number, truth, element, word, tensor */
  MP_FAULT_UNKNOWN_WORD = 8,        /* the attribute `name` of `op` is `value`; `known` are the words for it */
  MP_FAULT_MISSING_RESULT_TYPE = 9, /* the result's type does not follow from operands and attributes */
  MP_FAULT_OPEN_SPATIAL_SIZE = 10,  /* padding "same" of a spatial size that is not known */
  MP_FAULT_UNKNOWN_SETTING = 11,    /* there is no setting `name`; `known` are those that there are */
  MP_FAULT_SETTING_VALUE = 12,      /* the setting `name` does not take `value` */
  MP_FAULT_OTHER_POLICY = 13,   /* the checkpoint in `detail` was made with policy `name`, the executable has `value` */
  MP_FAULT_HAS_CHECKPOINT = 14, /* the folder `detail` has a checkpoint, and training is not to go on from it */
  MP_FAULT_WINDOW_TOO_LARGE = 15, /* no window fits into the image with its padding: the result would be empty */
  MP_FAULT_CONSTRAINT = 16        /* `op`, or the attribute "#mp.mma", is not as its `constraint` says */
} MpFaultCode;
/* NOLINTEND(readability-identifier-naming) */

/* What is known of an error beside its message. What its code does not speak of is "", -1, 0 or null. */
typedef struct MpFault {
  size_t size; /* of this struct */
  MpFaultCode code;
  const char *op; /* "mp.matmul" */
  const char *name;
  const char *value;
  const char *detail; /* of a setting: what is wrong, without its name and value; of a checkpoint its folder */
  int64_t operand;    /* from 0, of those that were given */
  int64_t other;
  unsigned elements; /* a bit, 1 << MpElementType, for each type that fits */
  const char *const *known;
  size_t knownCount;
  const char *file; /* where the user wrote it; "" where that is not known */
  unsigned line;
  /* The message, in which names of flags stand between two characters 0x1E, without dashes, and names of settings
   * between two 0x1F, so that a caller may write what it calls them. */
  const char *text;
  unsigned constraint; /* the number that it has in the op's description, as (C2); 0 where it is of none */
} MpFault;

/* Fills in what the error is about. Texts live as long as the status. */
MP_EXPORTED void mpStatusFault(const MpStatus *status, MpFault *fault);

/* NOLINTBEGIN(readability-identifier-naming): constants of C, which has no scopes for them. */
typedef enum MpElementType {
  MP_I1 = 0, /* a byte that is 0 or 1 */
  MP_UI8 = 1,
  MP_I32 = 2,
  MP_I64 = 3,
  MP_F16 = 4,
  MP_BF16 = 5,
  MP_F32 = 6,
  MP_F64 = 7
} MpElementType;
/* NOLINTEND(readability-identifier-naming) */

/* A dense row-major tensor that someone else owns. */
typedef struct MpTensor {
  MpElementType element;
  int64_t rank;
  const int64_t *shape;
  const void *data;
  size_t bytes; /* of data; must be what element and shape say */
} MpTensor;

/* Named tensors that the library owns. */
typedef struct MpTensors MpTensors;

MP_EXPORTED int64_t mpTensorsCount(const MpTensors *tensors);
/* The name and the tensor at `index`, or null and a tensor without data outside of the range. They
 * live as long as `tensors`. */
MP_EXPORTED const char *mpTensorsName(const MpTensors *tensors, int64_t index);
MP_EXPORTED MpTensor mpTensorsGet(const MpTensors *tensors, int64_t index);
MP_EXPORTED void mpTensorsDestroy(MpTensors *tensors);

/* Bytes that the library owns. */
typedef struct MpBytes MpBytes;

MP_EXPORTED const void *mpBytesData(const MpBytes *bytes);
MP_EXPORTED size_t mpBytesSize(const MpBytes *bytes);
MP_EXPORTED void mpBytesDestroy(MpBytes *bytes);

/* The version of this library, as in "0.1.0"; a static string. */
MP_EXPORTED const char *mpVersion(void);

/* The names of the devices that this library knows and this machine has, separated by line feeds; a static string. */
MP_EXPORTED const char *mpDeviceNames(void);

/* The settings of mpCompile for code that the device runs, separated by line feeds: "target=nvptx\nchip=sm_90". Of a
 * GPU the chip is the best of those that there is code for. An error for a device that this machine does not have. */
MP_EXPORTED MpStatus *mpDeviceSettings(const char *device, MpBytes **settings);

/* What a compiled model holds; no device is needed to read it. */
typedef struct MpExecutable MpExecutable;

MP_EXPORTED MpStatus *mpExecutableRead(const char *path, MpExecutable **executable);
/* The same for an executable in memory, which is copied. */
MP_EXPORTED MpStatus *mpExecutableReadBytes(const void *bytes, size_t size, MpExecutable **executable);
/* The bytes of its file. They live as long as the executable. */
MP_EXPORTED const void *mpExecutableData(const MpExecutable *executable, size_t *size);
MP_EXPORTED void mpExecutableDestroy(MpExecutable *executable);

/* The text under `key`: "model" (its name), "policy", "producer", or a key of its metadata; null where there is none.
 * Lives as long as the executable. */
MP_EXPORTED const char *mpExecutableText(const MpExecutable *executable, const char *key);

/* Its programs ("train_step", "infer", ...), in order; null outside of the range. */
MP_EXPORTED int64_t mpExecutableProgramCount(const MpExecutable *executable);
MP_EXPORTED const char *mpExecutableProgram(const MpExecutable *executable, int64_t index);

/* NOLINTBEGIN(readability-identifier-naming) */
/* Which values of an executable. */
typedef enum MpValueKind {
  MP_INPUTS = 0,  /* of a program: what a run takes */
  MP_RESULTS = 1, /* of a program: what a run gives */
  MP_STATE = 2    /* of all programs */
} MpValueKind;
/* NOLINTEND(readability-identifier-naming) */

/* One value. `role` of an input is "input", "label" or "row_weights"; of a result "loss", "output", "metric",
 * "gradient" or "log"; of state "parameter", "state" or "derived". */
typedef struct MpValue {
  size_t size; /* of this struct */
  const char *name;
  const char *role;
  MpElementType element;
  int batched; /* whether the first size is that of the batch, which a run may choose */
  int64_t rank;
  const int64_t *shape;
  int stored; /* of state: whether the executable holds a value of it, from which it starts */
} MpValue;

/* The value at `index`, as the program's first variant has it. Names and shapes live as long as the executable.
 * `program` is not read for state. -1 and an error where there is no such program, or the index is out of the range. */
MP_EXPORTED int64_t mpExecutableValueCount(const MpExecutable *executable, MpValueKind kind, const char *program);
MP_EXPORTED MpStatus *mpExecutableValue(const MpExecutable *executable, MpValueKind kind, const char *program,
                                        int64_t index, MpValue *value);

/* The batches that there is code for, whatever device runs it, from the smallest; -1 outside of the range, and a count
 * of 0 where the program's sizes are fixed or there is no such program. A run takes the smallest that holds its rows,
 * training the one that its flag "batch-size" says, or the largest. */
MP_EXPORTED int64_t mpExecutableBatchCount(const MpExecutable *executable, const char *program);
MP_EXPORTED int64_t mpExecutableBatch(const MpExecutable *executable, const char *program, int64_t index);

/* The same executable, with values of `count` states in it, each in the place of what it held: what
 * mpSessionInitialize gives these states from then on. An error for what is no state, derived, or of another type. Its
 * bytes are mpExecutableData's. */
MP_EXPORTED MpStatus *mpExecutableWithValues(const MpExecutable *executable, const char *const *names,
                                             const MpTensor *values, size_t count, MpExecutable **result);
/* Writes the file of an executable, whole, or leaves what is there as it is. */
MP_EXPORTED MpStatus *mpExecutableWrite(const MpExecutable *executable, const char *path);

/* A JSON object of the program's first variant: "ops_by_type", "casts", "kernels", "batch" and "memory", a list of
 * kinds and their bytes. What of `residentBytes` (of MpTrainResult, or 0) is of no kind that the executable knows is
 * one, too. */
MP_EXPORTED MpStatus *mpExecutableStatistics(const MpExecutable *executable, const char *program,
                                             uint64_t residentBytes, MpBytes **json);

/* An executable on a device, with the state that its programs share. */
typedef struct MpSession MpSession;

/* What a session runs on. Zeros stand for nothing asked. */
typedef struct MpSessionOptions {
  size_t size;        /* of this struct */
  const char *device; /* one of mpDeviceNames; null for "cpu" */
  unsigned threads;   /* of the CPU; 0 for all that the process may use */
  int pinThreads;     /* of the CPU: each of them stays on one of the processors, in turn, while it runs blocks */
} MpSessionOptions;

/* Allocates the executable's state on the device; the session keeps what it needs of it. `options` may be null. */
MP_EXPORTED MpStatus *mpSessionCreateFor(const MpExecutable *executable, const MpSessionOptions *options,
                                         MpSession **session);

/* Reads the executable at `path` and allocates its state on the device. `threads` is for the CPU, 0
 * for all. State is zero until initialized. */
MP_EXPORTED MpStatus *mpSessionCreate(const char *path, const char *device, unsigned threads, MpSession **session);
/* The same for an executable in memory, which is copied. */
MP_EXPORTED MpStatus *mpSessionCreateFromBytes(const void *bytes, size_t size, const char *device, unsigned threads,
                                               MpSession **session);
MP_EXPORTED void mpSessionDestroy(MpSession *session);

/* Gives every state entry its first value: the one that the executable holds, or else its initializer's under the run's
 * seed. */
MP_EXPORTED MpStatus *mpSessionInitialize(MpSession *session, uint64_t seed);

/* State by name: parameters, optimizer slots, "learning_rate", ... */
MP_EXPORTED MpStatus *mpSessionGetState(MpSession *session, const char *name, MpTensors **value);
MP_EXPORTED MpStatus *mpSessionSetState(MpSession *session, const char *name, MpTensor value);
/* Several at once: all of them, or none where one does not fit. */
MP_EXPORTED MpStatus *mpSessionSetStates(MpSession *session, const char *const *names, const MpTensor *values,
                                         size_t count);
/* All names of state, separated by line feeds. Lives as long as the session. */
MP_EXPORTED const char *mpSessionStateNames(const MpSession *session);

/* Tensors by name as a safetensors file, which is written whole, or stays as it was; and those of such a file, or of a
 * checkpoint's folder, which need not be trusted. */
MP_EXPORTED MpStatus *mpTensorsWrite(const char *path, const char *const *names, const MpTensor *tensors, size_t count);
MP_EXPORTED MpStatus *mpTensorsRead(const char *path, MpTensors **tensors);

/* Parameters and states of the model itself, from such a file or folder, and as a file. */
MP_EXPORTED MpStatus *mpSessionLoadWeights(MpSession *session, const char *path);
MP_EXPORTED MpStatus *mpSessionSaveWeights(MpSession *session, const char *path);
/* All state, what optimizer, loss scale and random generators keep among it; as metadata of the file, "step" and
 * "epoch" are those that are behind it. */
MP_EXPORTED MpStatus *mpSessionLoadState(MpSession *session, const char *path);
MP_EXPORTED MpStatus *mpSessionSaveState(MpSession *session, const char *path, uint64_t steps, uint64_t epochs);

/* As mpExecutableStatistics, of the variant of the program that the session's device prefers. */
MP_EXPORTED MpStatus *mpSessionStatistics(MpSession *session, const char *program, uint64_t residentBytes,
                                          MpBytes **json);

/* Runs a program once. An error before mpSessionInitialize, or before state is set or loaded: state is zeros till
 * then. `names` and `inputs` are `count` each; inputs per row may have any number of
 * rows where the program allows. `results` receives its results. */
MP_EXPORTED MpStatus *mpSessionRun(MpSession *session, const char *program, const char *const *names,
                                   const MpTensor *inputs, size_t count, MpTensors **results);

/* What training ends with. Scores that a program does not have are NaN. */
typedef struct MpTrainResult {
  uint64_t steps;
  uint64_t skippedSteps;
  double loss; /* over the last epoch */
  double testLoss;
  double testAccuracy;
  double lossScale;
  double secondsPerStep; /* median */
  uint64_t residentBytes;
} MpTrainResult;

/* Trains as mp-exec does: `names` and `values` are `count` flags of its command line without dashes
 * ("data", "epochs", ...; "true" for a flag without value). Flags of the device are not taken, the
 * session has one. */
MP_EXPORTED MpStatus *mpSessionTrain(MpSession *session, const char *const *names, const char *const *values,
                                     size_t count, MpTrainResult *result);

/* One step of training. What a program does not report is NaN. */
typedef struct MpStep {
  size_t size;    /* of this struct */
  uint64_t step;  /* from 1 */
  uint64_t epoch; /* from 1 */
  double loss;
  double lossScale;    /* that the step used */
  double gradientNorm; /* after unscaling */
  int64_t bad;         /* index of the first gradient that was not finite, or -1: the step was skipped */
  uint64_t skipped;    /* steps skipped so far */
  double samplesPerSecond;
  const char *gradient; /* the name of that gradient, "" where there is none. Lives as long as the call */
} MpStep;

/* What a step was given and what it left, so that it can be computed again. */
typedef struct MpStepInputs MpStepInputs;

/* All state that is not derived, before the step or after it; and how many micro-batches it had, and the inputs of each
 * by name, or null outside of the range. They live as long as the call that is told of them. */
MP_EXPORTED const MpTensors *mpStepInputsBefore(const MpStepInputs *inputs);
MP_EXPORTED const MpTensors *mpStepInputsAfter(const MpStepInputs *inputs);
MP_EXPORTED int64_t mpStepInputsBatchCount(const MpStepInputs *inputs);
MP_EXPORTED const MpTensors *mpStepInputsBatch(const MpStepInputs *inputs, int64_t index);

/* One epoch. Scores are tensors of f64 without dimensions, "loss" and the metrics; those of the test are none without
 * test data. They live as long as the call. */
typedef struct MpEpoch {
  size_t size;    /* of this struct */
  uint64_t epoch; /* from 1 */
  uint64_t step;  /* after which it ended */
  const MpTensors *scores;
  const MpTensors *testScores;
} MpEpoch;

/* The batches of a step, as many as it accumulates, each a whole batch of every input of the program: arrays[b * count
 * + i] is that of names[i] in batch b, of which rows[b] are data and others, whose "row_weights" are 0, fill it up.
 * They are read before nextStep is called again. */
typedef struct MpGivenStep {
  size_t size; /* of this struct */
  size_t batches;
  size_t count;
  const char *const *names;
  const MpTensor *arrays;
  const uint64_t *rows;
} MpGivenStep;

/* How to train. Zeros stand for nothing asked. */
typedef struct MpTraining {
  size_t size;                  /* of this struct */
  const char *const *flagNames; /* as mpSessionTrain takes them */
  const char *const *flagValues;
  size_t flagCount;
  const char *const *names; /* of inputs, and their arrays, a row for each sample: instead of flag "data" */
  const MpTensor *arrays;
  size_t count;
  const char *const *testNames; /* the same, instead of flag "test-data" */
  const MpTensor *testArrays;
  size_t testCount;
  int goOn; /* from the state that the session has, instead of first values */
  uint64_t stepsBehind;
  uint64_t epochsBehind; /* with goOn: "epochs" counts them, and the order of rows goes on after them */
  /* Called by the thread that trains, in order, or null; not 0 ends training. A step is told when its results are
   * read: others may be under way, and still count. The session may be used in them. */
  int (*onStep)(const MpStep *step, void *user);
  int (*onEpoch)(const MpEpoch *epoch, void *user);
  void *user; /* their last argument */
  /* Called with what each step was given and left, behind onStep, until it is not 0, which ends no training; or null.
   * As long as it is called, steps run one by one and the state is copied after each. */
  int (*onInputs)(const MpStep *step, const MpStepInputs *inputs, void *user);
  /* Instead of arrays, or null: fills in the batches of the next step and is 0; 1 where an epoch is over, 2 to end
   * training. Checkpoints are at ends of epochs alone. */
  int (*nextStep)(MpGivenStep *step, void *user);
  uint64_t stepsPerEpoch; /* of nextStep, for people; 0 where nobody knows */
  int oneByOne;           /* a step is told before the next begins, so that what onStep changes holds for that */
} MpTraining;

/* Trains on arrays or files. `result` may be null. */
MP_EXPORTED MpStatus *mpSessionTrainOn(MpSession *session, const MpTraining *training, MpTrainResult *result);

/* Runs `eval` over all rows of `count` arrays, those of the inputs of these names. `scores` receives tensors of f64
 * without dimensions: "loss" and the metrics. */
MP_EXPORTED MpStatus *mpSessionEvaluate(MpSession *session, const char *const *names, const MpTensor *arrays,
                                        size_t count, MpTensors **scores);

/* A program of a session with memory of its own, to be timed on inputs that are on the device before. */
typedef struct MpBenchmark MpBenchmark;

/* Loads the program's variant that the device prefers and fills its inputs as mp-exec benchmark does: floats are
 * standard normal, labels any class, bytes 0 to 255, weights of rows 1; the same for the same `seed`. State is the
 * session's, as it is (mpSessionInitialize). The session outlives the benchmark. */
MP_EXPORTED MpStatus *mpBenchmarkCreate(MpSession *session, const char *program, uint64_t seed,
                                        MpBenchmark **benchmark);

/* The input of that name, or else the result, where the program reads and writes it: `data` is an address in the
 * device's own address space (of the GPU for "cuda", of the host for "cpu" and "simt"), aligned to 64 bytes. It stays
 * the same and lives as long as the benchmark, as does the shape. Others may read it, and write inputs, while no run is
 * under way. Neither state nor another name is found, which is an error. */
MP_EXPORTED MpStatus *mpBenchmarkTensor(const MpBenchmark *benchmark, const char *name, MpTensor *tensor);

/* Runs the program `warmup` times and waits, then takes `repeat` samples of `runs` runs each, one after another without
 * a pause, and waits. Of each sample `seconds`, an array of `repeat`, receives the seconds of one run, by the device's
 * clock (on a GPU between two events). `repeat` and `runs` are at least 1. Runs go on from the state that the ones
 * before left. On a GPU they do not wait for other streams: what writes an input there has to be over. */
MP_EXPORTED MpStatus *mpBenchmarkRun(MpBenchmark *benchmark, unsigned warmup, unsigned repeat, unsigned runs,
                                     double *seconds);
/* Runs the program `warmup` times, then `repeat` times kernel by kernel. `json` receives a list of objects "kernel",
 * "seconds" (the median), "flops", "bytes" and "modelled_seconds", in the order in which they run. */
MP_EXPORTED MpStatus *mpBenchmarkKernels(MpBenchmark *benchmark, unsigned warmup, unsigned repeat, MpBytes **json);
MP_EXPORTED void mpBenchmarkDestroy(MpBenchmark *benchmark);

/* NOLINTBEGIN(readability-identifier-naming) */
typedef enum MpReportForm { MP_REPORT_HTML = 0, MP_REPORT_JSON = 1, MP_REPORT_TEXT = 2 } MpReportForm;
/* NOLINTEND(readability-identifier-naming) */

/* What runs showed, as `mp-run report` has it: one page of HTML that needs nothing else, JSON, or the table of `mp-run
 * compare`. `runs` are `size` bytes of what `compare --json` or `train --log` wrote; they need not be trusted. */
MP_EXPORTED MpStatus *mpRenderReport(const char *runs, size_t size, MpReportForm form, MpBytes **report);

#ifdef __cplusplus
}
#endif

#endif /* MP_C_RUNTIME_H */

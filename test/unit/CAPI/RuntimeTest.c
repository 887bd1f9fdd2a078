/* The runtime's C API, from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: c-api-test MODEL.mpx DATA_FOLDER. Ends with 0 if every expectation holds. */

#include "CAPI/Expect.h"

#include <stdio.h>
#include <string.h>

static void testVersion(void) { expect(strcmp(mpVersion(), VERSION) == 0, "the version is the project's"); }

static void testInference(MpSession *session) {
  const unsigned char pixels[12] = {255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255};
  const int64_t shape[2] = {3, 4};
  const char *names[1] = {"x"};
  MpTensor x = {MP_UI8, 2, shape, pixels, sizeof(pixels)};
  MpTensors *results = NULL;
  succeed(mpSessionRun(session, "infer", names, &x, 1, &results), "infer runs");
  expect(mpTensorsCount(results) == 1, "one result");
  expect(mpTensorsName(results, 1) == NULL, "no second result");
  MpTensor logits = mpTensorsGet(results, 0);
  expect(logits.element == MP_F32 && logits.rank == 2 && logits.shape[0] == 3 && logits.shape[1] == 3,
         "logits are 3x3xf32");
  MpTensors *kernel = NULL;
  succeed(mpSessionGetState(session, "dense.kernel", &kernel), "the parameter is read");
  expect(memcmp(logits.data, mpTensorsGet(kernel, 0).data, 3 * sizeof(float)) == 0,
         "a unit vector gives the kernel's first row");
  mpTensorsDestroy(kernel);
  mpTensorsDestroy(results);

  x.bytes = 11;
  fail(mpSessionRun(session, "infer", names, &x, 1, &results), "tensor 'x' is tensor<3x4xui8>, given 11 bytes");
  fail(mpSessionRun(session, "infer", names, NULL, 1, &results), "inputs is null");
  fail(mpSessionRun(session, "infer", NULL, NULL, 0, &results), "input 'x' of program infer is missing");
}

static void testTraining(MpSession *session, const char *data) {
  const char *names[4] = {"data", "epochs", "quiet", "learning-rate"};
  const char *values[4] = {data, "5", "true", "0.5"};
  MpTrainResult result;
  succeed(mpSessionTrain(session, names, values, 4, &result), "training runs");
  expect(result.steps > 0 && result.testAccuracy > 0.5 && result.testLoss < 0.5, "it learns");
  names[1] = "device";
  fail(mpSessionTrain(session, names, values, 4, &result), "flag device is the session's");
  names[1] = "epoch";
  fail(mpSessionTrain(session, names, values, 4, &result), "unknown flag --epoch; did you mean 'epochs'?");
}

static int inputsTold = 0;

/* What callbacks were told. */
struct Told {
  uint64_t steps, epochs, stopAfter;
  double loss, testAccuracy;
};

static int onStep(const MpStep *step, void *user) {
  struct Told *told = user;
  expect(step->step == told->steps + 1 && step->bad == -1, "steps are told in order");
  told->steps = step->step;
  return step->step == told->stopAfter;
}

static int onEpoch(const MpEpoch *epoch, void *user) {
  struct Told *told = user;
  told->epochs = epoch->epoch;
  expect(strcmp(mpTensorsName(epoch->scores, 0), "loss") == 0, "the loss is the first score");
  told->loss = *(const double *)mpTensorsGet(epoch->scores, 0).data;
  if (mpTensorsCount(epoch->testScores) == 2)
    told->testAccuracy = *(const double *)mpTensorsGet(epoch->testScores, 1).data;
  return 0;
}

/* What steps were given, until three are seen. */
static int onInputs(const MpStep *step, const MpStepInputs *inputs, void *user) {
  (void)user;
  expect(strcmp(step->gradient, "") == 0, "no gradient is bad");
  const MpTensors *before = mpStepInputsBefore(inputs), *after = mpStepInputsAfter(inputs);
  expect(mpTensorsCount(before) > 1 && mpTensorsCount(before) == mpTensorsCount(after), "all state is told");
  int differing = 0;
  for (int64_t i = 0; i < mpTensorsCount(before); ++i) {
    const MpTensor old = mpTensorsGet(before, i), new = mpTensorsGet(after, i);
    expect(strcmp(mpTensorsName(before, i), mpTensorsName(after, i)) == 0 && old.bytes == new.bytes, "in one order");
    differing += memcmp(old.data, new.data, old.bytes) != 0;
  }
  expect(differing > 0, "a step changes state");
  expect(mpStepInputsBatchCount(inputs) == 1 && mpStepInputsBatch(inputs, 1) == NULL, "there is one batch");
  const MpTensors *batch = mpStepInputsBatch(inputs, 0);
  expect(mpTensorsCount(batch) >= 2 && mpTensorsGet(batch, 0).bytes > 0, "it has inputs by name");
  expect(mpStepInputsBefore(NULL) == NULL && mpStepInputsAfter(NULL) == NULL && mpStepInputsBatchCount(NULL) == 0,
         "nothing has no inputs");
  inputsTold += 1;
  return inputsTold == 3;
}

/* Rows of 4 pixels; the label is the brightest of the first three. */
static void testArrays(MpSession *session) {
  enum { Rows = 60 };
  unsigned char pixels[Rows][4] = {{0}}, labels[Rows];
  for (int i = 0; i < Rows; ++i) {
    labels[i] = (unsigned char)(i * 7 % 3);
    pixels[i][labels[i]] = 255;
  }
  const int64_t pixelShape[2] = {Rows, 4}, labelShape[1] = {Rows}, fewer[1] = {Rows - 1};
  const char *names[2] = {"x", "y"}, *flags[3] = {"epochs", "quiet", "learning-rate"},
             *values[3] = {"4", "true", "0.5"};
  MpTensor arrays[2] = {{MP_UI8, 2, pixelShape, pixels, sizeof pixels}, {MP_UI8, 1, labelShape, labels, sizeof labels}};
  struct Told told = {0, 0, 0, 0, 0};
  MpTraining training = {.size = sizeof training,
                         .flagNames = flags,
                         .flagValues = values,
                         .flagCount = 3,
                         .names = names,
                         .arrays = arrays,
                         .count = 2,
                         .testNames = names,
                         .testArrays = arrays,
                         .testCount = 2,
                         .onStep = onStep,
                         .onEpoch = onEpoch,
                         .user = &told};
  MpTrainResult result;
  training.onInputs = onInputs;
  succeed(mpSessionTrainOn(session, &training, &result), "training on arrays runs");
  expect(inputsTold == 3 && result.steps > 3, "inputs are told until they are enough");
  training.onInputs = NULL;
  expect(result.steps == told.steps && told.epochs == 4 && told.testAccuracy == 1.0, "it learns from arrays");

  MpTensors *scores = NULL;
  succeed(mpSessionEvaluate(session, names, arrays, 2, &scores), "eval runs on arrays");
  expect(mpTensorsCount(scores) == 2 && *(const double *)mpTensorsGet(scores, 1).data == 1.0,
         "the scores are the same");
  mpTensorsDestroy(scores);

  training.goOn = 1;
  training.stepsBehind = result.steps;
  training.epochsBehind = 4;
  values[0] = "6";
  told.stopAfter = result.steps + 1;
  succeed(mpSessionTrainOn(session, &training, NULL), "training goes on, and is stopped");
  expect(told.epochs == 4 && told.steps > result.steps, "the epoch did not end");
  told.stopAfter = 0;
  told.steps = result.steps;
  succeed(mpSessionTrainOn(session, &training, &result), "training goes on");
  expect(told.epochs == 6 && told.loss > 0 && result.steps == told.steps, "it goes on from where it was");

  labels[1] = 3;
  fail(mpSessionTrainOn(session, &training, NULL),
       "training data: label 3 of row 1 is out of range: input 'y' has 3 classes");
  training.count = 1;
  fail(mpSessionTrainOn(session, &training, NULL),
       "training data: input 'y' gets no data: there is no array of that name");
  training.count = 2;
  names[1] = "x";
  fail(mpSessionTrainOn(session, &training, NULL), "training data: array 'x' is given twice");
  names[1] = "z";
  fail(mpSessionTrainOn(session, &training, NULL), "training data: there is no input 'z'");
  arrays[1] = (MpTensor){MP_UI8, 1, fewer, labels, Rows - 1};
  fail(mpSessionTrainOn(session, &training, NULL), "training data: array 'z' has 59 rows, 'x' has 60");
  arrays[1].element = MP_I64;
  fail(mpSessionTrainOn(session, &training, NULL), "tensor 'z' is tensor<59xi64>, given 59 bytes");
  fail(mpSessionTrainOn(session, NULL, NULL), "training is null");
}

static void testBenchmark(MpSession *session) {
  MpBenchmark *benchmark = NULL;
  fail(mpBenchmarkCreate(NULL, "infer", 0, &benchmark), "session is null");
  fail(mpBenchmarkCreate(session, NULL, 0, &benchmark), "program is null");
  fail(mpBenchmarkCreate(session, "infer", 0, NULL), "benchmark is null");
  fail(mpBenchmarkCreate(session, "fly", 0, &benchmark),
       "the executable does not have program fly; it has train_step, eval, infer");
  succeed(mpBenchmarkCreate(session, "infer", 7, &benchmark), "a benchmark is made");

  MpTensor x;
  MpTensor logits;
  succeed(mpBenchmarkTensor(benchmark, "x", &x), "the input is found");
  succeed(mpBenchmarkTensor(benchmark, "logits", &logits), "the result is found");
  expect(x.element == MP_UI8 && x.rank == 2 && x.shape[0] == 8 && x.shape[1] == 4 && x.bytes == 32, "x is 8x4xui8");
  expect(logits.element == MP_F32 && logits.rank == 2 && logits.shape[1] == 3 && logits.bytes == 96,
         "logits are 8x3xf32");
  fail(mpBenchmarkTensor(benchmark, "z", &x), "program infer has no input or result 'z'");
  fail(mpBenchmarkTensor(benchmark, "dense.kernel", &x), "program infer has no input or result 'dense.kernel'");
  fail(mpBenchmarkTensor(NULL, "x", &x), "benchmark is null");
  fail(mpBenchmarkTensor(benchmark, NULL, &x), "name is null");
  fail(mpBenchmarkTensor(benchmark, "x", NULL), "tensor is null");

  unsigned char *pixels = (unsigned char *)x.data;
  int sum = 0;
  for (size_t i = 0; i < x.bytes; ++i)
    sum += pixels[i];
  expect(sum > 0, "inputs are filled");
  memset(pixels, 0, x.bytes);
  pixels[4] = 255; /* the second row: a unit vector */
  MpBytes *kernels = NULL;
  succeed(mpBenchmarkKernels(benchmark, 0, 1, &kernels), "kernels are timed");
  expect(strncmp(mpBytesData(kernels), "[{\"kernel\":\"", 12) == 0, "each with its name");
  mpBytesDestroy(kernels);
  fail(mpBenchmarkKernels(benchmark, 0, 0, &kernels), "repeat is 0, expected at least 1");
  fail(mpBenchmarkKernels(NULL, 0, 1, &kernels), "benchmark is null");
  fail(mpBenchmarkKernels(benchmark, 0, 1, NULL), "json is null");
  double seconds[3] = {-1, -1, -1};
  succeed(mpBenchmarkRun(benchmark, 1, 2, 3, seconds), "the benchmark runs");
  expect(seconds[0] >= 0 && seconds[1] >= 0 && seconds[2] == -1, "two samples");
  MpTensors *kernel = NULL;
  succeed(mpSessionGetState(session, "dense.kernel", &kernel), "the parameter is read");
  const float *rows = (const float *)logits.data;
  const float *weights = (const float *)mpTensorsGet(kernel, 0).data;
  expect(rows[0] == 0 && rows[3] == weights[0] && rows[4] == weights[1] && rows[5] == weights[2],
         "the result follows the input");
  mpTensorsDestroy(kernel);

  fail(mpBenchmarkRun(NULL, 0, 1, 1, seconds), "benchmark is null");
  fail(mpBenchmarkRun(benchmark, 0, 1, 1, NULL), "seconds is null");
  fail(mpBenchmarkRun(benchmark, 0, 0, 1, seconds), "repeat and runs are 0 and 1, expected at least 1");
  fail(mpBenchmarkRun(benchmark, 0, 1, 0, seconds), "repeat and runs are 1 and 0, expected at least 1");
  mpBenchmarkDestroy(benchmark);
  mpBenchmarkDestroy(NULL);
}

static void testStatistics(const char *path) {
  MpExecutable *executable = NULL;
  MpBytes *json = NULL;
  succeed(mpExecutableRead(path, &executable), "an executable is read");
  succeed(mpExecutableStatistics(executable, "train_step", 1 << 20, &json), "it has statistics");
  const char *text = mpBytesData(json);
  expect(strncmp(text, "{\"ops_by_type\":{", 16) == 0 && strstr(text, "\"batch\":8") != NULL, text);
  expect(strstr(text, "\"kind\":\"parameters\"") != NULL && strstr(text, "inputs, results and code") != NULL,
         "memory is by kind");
  mpBytesDestroy(json);
  fail(mpExecutableStatistics(executable, "fly", 0, &json), "the executable has no program 'fly'");
  fail(mpExecutableStatistics(NULL, "infer", 0, &json), "executable is null");
  fail(mpExecutableStatistics(executable, "infer", 0, NULL), "json is null");
  mpExecutableDestroy(executable);
}

static void testTensorFiles(MpSession *session) {
  const char *path = "tensors.safetensors", *names[2] = {"a", "b"};
  const int32_t numbers[3] = {1, 2, -3};
  const int64_t shape[1] = {3};
  MpTensor given[2] = {{MP_I32, 1, shape, numbers, sizeof numbers}, {MP_BF16, 0, NULL, numbers, 2}};
  MpTensors *read = NULL;
  succeed(mpTensorsWrite(path, names, given, 2), "tensors are written");
  succeed(mpTensorsRead(path, &read), "tensors are read");
  expect(mpTensorsCount(read) == 2 && strcmp(mpTensorsName(read, 0), "a") == 0 && mpTensorsGet(read, 1).rank == 0 &&
             memcmp(mpTensorsGet(read, 0).data, numbers, sizeof numbers) == 0,
         "they are the same");
  mpTensorsDestroy(read);
  succeed(mpTensorsWrite(path, NULL, NULL, 0), "no tensors are written");
  succeed(mpTensorsRead(path, &read), "and read");
  expect(mpTensorsCount(read) == 0, "there are none");
  mpTensorsDestroy(read);
  remove(path);
  given[0].bytes = 11;
  fail(mpTensorsWrite(path, names, given, 2), "tensor 'a' is tensor<3xi32>, given 11 bytes");
  names[0] = NULL;
  fail(mpTensorsWrite(path, names, given, 2), "a tensor's name is null");
  fail(mpTensorsWrite(path, NULL, given, 2), "names is null");
  fail(mpTensorsWrite(NULL, names, given, 2), "path is null");
  fail(mpTensorsRead(path, NULL), "tensors is null");
  MpBytes *json = NULL;
  succeed(mpSessionStatistics(session, "train_step", 0, &json), "a session has statistics");
  expect(strstr(mpBytesData(json), "\"batch\":8") != NULL, "of its variant");
  mpBytesDestroy(json);
  fail(mpSessionStatistics(session, "fly", 0, &json),
       "the executable does not have program fly; it has train_step, eval, infer");
}

static void testReport(void) {
  const char *runs = "{\"policies\": [{\"policy\": \"<b>\", \"final_loss\": 0.5}], \"device\": \"cpu\"}";
  MpBytes *report = NULL;
  const char *parts[3] = {"<th>&lt;b&gt;</th>", "\"policy\":\"<b>\"", "loss, last epoch"};
  for (int form = MP_REPORT_HTML; form <= MP_REPORT_TEXT; ++form) {
    succeed(mpRenderReport(runs, strlen(runs), (MpReportForm)form, &report), "a report is written");
    char text[16384] = {0};
    memcpy(text, mpBytesData(report), mpBytesSize(report) < sizeof text - 1 ? mpBytesSize(report) : sizeof text - 1);
    expect(strstr(text, parts[form]) != NULL, parts[form]);
    mpBytesDestroy(report);
  }
  fail(mpRenderReport(runs, strlen(runs), (MpReportForm)3, &report), "form 3 is none of a report's");
  fail(mpRenderReport(runs, 20, MP_REPORT_HTML, &report), "is not JSON at byte 21");
  fail(mpRenderReport(NULL, 0, MP_REPORT_HTML, &report), "is not JSON at byte 1");
  fail(mpRenderReport(NULL, 1, MP_REPORT_HTML, &report), "runs is null");
  fail(mpRenderReport(runs, 1, MP_REPORT_HTML, NULL), "report is null");
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  MpSession *session = NULL;
  fail(mpSessionCreate(argv[1], "abacus", 0, &session), "unknown device 'abacus'; expected one of cpu, simt, cuda");
  fail(mpSessionCreate(NULL, "cpu", 0, &session), "path is null");
  fail(mpSessionCreateFromBytes("", 0, "cpu", 0, &session), "not an executable: 0 bytes are less than a header of 64");
  succeed(mpSessionCreate(argv[1], "cpu", 2, &session), "a session is made");
  MpTensors *results = NULL;
  fail(mpSessionRun(session, "infer", NULL, NULL, 0, &results),
       "program infer has no state yet, all of it is zeros: call mpSessionInitialize, or mpSessionLoadWeights, before");
  succeed(mpSessionInitialize(session, 1), "state is initialized");
  expect(strstr(mpSessionStateNames(session), "learning_rate") != NULL, "names of state");
  expect(strncmp(mpDeviceNames(), "cpu", 3) == 0, "names of devices"); /* GPUs may follow */

  float rate = 0.25f;
  MpTensor value = {MP_F32, 0, NULL, &rate, sizeof(rate)};
  succeed(mpSessionSetState(session, "learning_rate", value), "state is set");
  fail(mpSessionSetState(session, "speed", value), "the executable does not have state 'speed'");
  testVersion();
  testInference(session);
  testBenchmark(session);
  testStatistics(argv[1]);
  testTensorFiles(session);
  testReport();
  testTraining(session, argv[2]);
  testArrays(session);
  mpSessionDestroy(session);
  mpSessionDestroy(NULL);
  if (failures == 0)
    printf("every expectation holds\n");
  return failures != 0;
}

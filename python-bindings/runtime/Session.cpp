// An executable on a device, for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"

#include <nanobind/stl/tuple.h>

#include <sstream>

namespace nb = nanobind;

NamedArrays::NamedArrays(const std::vector<std::string> &names, const std::vector<AnyArray> &arrays,
                         const std::vector<int> &elements) {
  tensors.reserve(names.size()); // a view points into its tensor
  for (size_t i = 0; i < names.size(); ++i) {
    this->names.push_back(names[i].c_str());
    views.push_back(tensors.emplace_back(arrays.at(i), elements.at(i)).get());
  }
}

std::shared_ptr<MpSession> Session::get() const {
  if (!handle)
    throw nb::value_error("the session is closed");
  return handle;
}

template <typename Call> void Session::call(Call &&function) {
  std::shared_ptr<MpSession> session = get();
  Owned<MpStatus> status;
  {
    nb::gil_scoped_release release;
    status.reset(function(session.get()));
  }
  check(status.release());
}

Session::Session(const Executable &executable, const std::string &device, unsigned threads, bool pinThreads) {
  MpSessionOptions options{};
  options.size = sizeof(options);
  options.device = device.c_str();
  options.threads = threads;
  options.pinThreads = pinThreads;
  MpSession *made = nullptr;
  Owned<MpStatus> status;
  {
    nb::gil_scoped_release release;
    status.reset(mpSessionCreateFor(executable.get(), &options, &made));
  }
  check(status.release());
  handle = Owned<MpSession>(made);
}

void Session::initialize(uint64_t seed) {
  call([&](MpSession *session) { return mpSessionInitialize(session, seed); });
}

std::vector<std::string> Session::stateNames() const {
  std::vector<std::string> names;
  std::istringstream stream(mpSessionStateNames(get().get()));
  for (std::string name; std::getline(stream, name);)
    names.push_back(name);
  return names;
}

nb::list Session::state(const std::string &name) {
  MpTensors *tensors = nullptr;
  call([&](MpSession *session) { return mpSessionGetState(session, name.c_str(), &tensors); });
  return toPython(Owned<MpTensors>(tensors));
}

void Session::setState(const std::string &name, const AnyArray &array, int element) {
  Tensor tensor(array, element);
  call([&](MpSession *session) { return mpSessionSetState(session, name.c_str(), tensor.get()); });
}

void Session::loadWeights(const std::string &path) {
  call([&](MpSession *session) { return mpSessionLoadWeights(session, path.c_str()); });
}

void Session::saveWeights(const std::string &path) {
  call([&](MpSession *session) { return mpSessionSaveWeights(session, path.c_str()); });
}

void Session::loadState(const std::string &path) {
  call([&](MpSession *session) { return mpSessionLoadState(session, path.c_str()); });
}

void Session::saveState(const std::string &path, uint64_t steps, uint64_t epochs) {
  call([&](MpSession *session) { return mpSessionSaveState(session, path.c_str(), steps, epochs); });
}

void Session::setStates(const Names &names, const Arrays &arrays, const Elements &elements) {
  NamedArrays values(names, arrays, elements);
  call([&](MpSession *session) {
    return mpSessionSetStates(session, values.names.data(), values.views.data(), values.views.size());
  });
}

nb::list Session::run(const std::string &program, const Names &names, const Arrays &arrays, const Elements &elements) {
  NamedArrays inputs(names, arrays, elements);
  MpTensors *results = nullptr;
  call([&](MpSession *session) {
    return mpSessionRun(session, program.c_str(), inputs.names.data(), inputs.views.data(), inputs.views.size(),
                        &results);
  });
  return toPython(Owned<MpTensors>(results));
}

nb::list Session::evaluate(const Names &names, const Arrays &arrays, const Elements &elements) {
  NamedArrays inputs(names, arrays, elements);
  MpTensors *scores = nullptr;
  call([&](MpSession *session) {
    return mpSessionEvaluate(session, inputs.names.data(), inputs.views.data(), inputs.views.size(), &scores);
  });
  return toPython(Owned<MpTensors>(scores));
}

std::string Session::statistics(const std::string &program, uint64_t residentBytes) {
  MpBytes *json = nullptr;
  call([&](MpSession *session) { return mpSessionStatistics(session, program.c_str(), residentBytes, &json); });
  return toString(Owned<MpBytes>(json));
}

std::string Session::timeKernels(const std::string &program, unsigned warmup, unsigned repeat) {
  MpBytes *json = nullptr;
  call([&](MpSession *session) {
    MpBenchmark *made = nullptr;
    MpStatus *status = mpBenchmarkCreate(session, program.c_str(), /*seed=*/0, &made);
    std::unique_ptr<MpBenchmark, decltype(&mpBenchmarkDestroy)> benchmark(made, mpBenchmarkDestroy);
    return status ? status : mpBenchmarkKernels(made, warmup, repeat, &json);
  });
  return toString(Owned<MpBytes>(json));
}

namespace {

/// Who is told of training, and what they raise.
struct [[gnu::visibility("hidden")]] Callbacks {
  nb::object onStep, onEpoch, onInputs, nextStep;
  std::optional<nb::python_error> raised;
  std::optional<nb::python_error> raisedByBatches; ///< steps before it are told all the same
  Session::Names names;                            ///< of the arrays of the step that was asked for last
  std::optional<NamedArrays> given;
  std::vector<uint64_t> rows;

  /// Whether to stop. The GIL is held.
  template <typename... Arguments> bool tell(const nb::object &callable, Arguments &&...arguments) {
    if (raised)
      return true;
    try {
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      return !callable.is_none() && nb::cast<bool>(nb::bool_(callable(std::forward<Arguments>(arguments)...)));
    } catch (nb::python_error &error) {
      raised.emplace(std::move(error));
      return true;
    }
  }
};

std::vector<std::pair<std::string, double>> scoresOf(const MpTensors *tensors) {
  std::vector<std::pair<std::string, double>> scores;
  for (int64_t i = 0; i < mpTensorsCount(tensors); ++i)
    scores.emplace_back(mpTensorsName(tensors, i), *static_cast<const double *>(mpTensorsGet(tensors, i).data));
  return scores;
}

nb::dict toDict(const MpTensors *tensors) {
  nb::dict dict;
  for (const auto &[name, value] : scoresOf(tensors))
    dict[name.c_str()] = value;
  return dict;
}

int tellStep(const MpStep *step, void *user) {
  nb::gil_scoped_acquire acquire;
  auto *callbacks = static_cast<Callbacks *>(user);
  return callbacks->tell(callbacks->onStep, step->step, step->epoch, step->loss, step->lossScale, step->gradientNorm,
                         step->bad, step->skipped, step->samplesPerSecond, step->gradient);
}

int tellEpoch(const MpEpoch *epoch, void *user) {
  nb::gil_scoped_acquire acquire;
  auto *callbacks = static_cast<Callbacks *>(user);
  return callbacks->tell(callbacks->onEpoch, epoch->epoch, epoch->step, toDict(epoch->scores),
                         toDict(epoch->testScores));
}

int tellInputs(const MpStep *step, const MpStepInputs *inputs, void *user) {
  nb::gil_scoped_acquire acquire;
  auto *callbacks = static_cast<Callbacks *>(user);
  return callbacks->tell(callbacks->onInputs, nb::capsule(step, "MpStep"), nb::capsule(inputs, "MpStepInputs"));
}

int giveStep(MpGivenStep *step, void *user) {
  nb::gil_scoped_acquire acquire;
  auto *callbacks = static_cast<Callbacks *>(user);
  constexpr int kGiven = 0, kEpochIsOver = 1, kEnd = 2;
  try {
    const nb::object made = callbacks->nextStep();
    if (made.is_none())
      return kEpochIsOver;
    using Given = std::tuple<Session::Names, Session::Arrays, Session::Elements, std::vector<uint64_t>>;
    auto [names, arrays, elements, rows] = nb::cast<Given>(made);
    callbacks->names = std::move(names);
    callbacks->rows = std::move(rows);
    callbacks->given.emplace(callbacks->names, arrays, elements);
  } catch (nb::python_error &error) {
    callbacks->raisedByBatches.emplace(std::move(error));
    return kEnd;
  }
  step->batches = callbacks->rows.size();
  step->count = callbacks->given->views.size() / step->batches;
  step->names = callbacks->given->names.data();
  step->arrays = callbacks->given->views.data();
  step->rows = callbacks->rows.data();
  return kGiven;
}

} // namespace

nb::tuple Session::train(const Names &flagNames, const Names &flagValues, const Names &names, const Arrays &arrays,
                         const Elements &elements, const Names &testNames, const Arrays &testArrays,
                         const Elements &testElements, std::optional<std::tuple<uint64_t, uint64_t>> behind,
                         nb::object onStep, nb::object onEpoch, nb::object onInputs, nb::object nextStep,
                         uint64_t stepsPerEpoch, bool oneByOne) {
  std::vector<const char *> flags, values;
  for (const std::string &name : flagNames)
    flags.push_back(name.c_str());
  for (const std::string &value : flagValues)
    values.push_back(value.c_str());
  NamedArrays data(names, arrays, elements), test(testNames, testArrays, testElements);
  Callbacks callbacks{
      std::move(onStep), std::move(onEpoch), std::move(onInputs), std::move(nextStep), {}, {}, {}, {}, {}};

  MpTraining training{};
  training.size = sizeof(training);
  training.flagNames = flags.data();
  training.flagValues = values.data();
  training.flagCount = flags.size();
  training.names = data.names.data();
  training.arrays = data.views.data();
  training.count = data.views.size();
  training.testNames = test.names.data();
  training.testArrays = test.views.data();
  training.testCount = test.views.size();
  training.goOn = behind.has_value();
  std::tie(training.stepsBehind, training.epochsBehind) = behind.value_or(std::tuple<uint64_t, uint64_t>(0, 0));
  training.onStep = tellStep;
  training.onEpoch = tellEpoch;
  training.user = &callbacks;
  if (!callbacks.onInputs.is_none())
    training.onInputs = tellInputs;
  if (!callbacks.nextStep.is_none())
    training.nextStep = giveStep;
  training.stepsPerEpoch = stepsPerEpoch;
  training.oneByOne = oneByOne;
  MpTrainResult result{};
  call([&](MpSession *session) { return mpSessionTrainOn(session, &training, &result); });
  for (std::optional<nb::python_error> *own : {&callbacks.raised, &callbacks.raisedByBatches})
    if (*own)
      throw nb::python_error(std::move(**own));
  return nb::make_tuple(result.steps, result.skippedSteps, result.lossScale, result.secondsPerStep,
                        result.residentBytes);
}

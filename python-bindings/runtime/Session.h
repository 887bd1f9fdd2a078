// An executable on a device, for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_SESSION_H
#define MP_PYTHON_SESSION_H

#include "Arrays.h"
#include "Executable.h"

/// Arrays by name. An element type is -1 but for arrays that can't say theirs.
struct [[gnu::visibility("hidden")]] NamedArrays {
  NamedArrays(const std::vector<std::string> &names, const std::vector<AnyArray> &arrays,
              const std::vector<int> &elements);

  std::vector<const char *> names;
  std::vector<Tensor> tensors;
  std::vector<MpTensor> views;
};

/// The GIL is released while a call runs; a session that is closed ends with its last call.
class [[gnu::visibility("hidden")]] Session {
public:
  Session(const Executable &executable, const std::string &device, unsigned threads, bool pinThreads);

  void close() { handle.reset(); }
  void initialize(uint64_t seed);
  std::vector<std::string> stateNames() const;
  nanobind::list state(const std::string &name);
  void setState(const std::string &name, const AnyArray &array, int element);
  void loadWeights(const std::string &path);
  void saveWeights(const std::string &path);
  void loadState(const std::string &path);
  void saveState(const std::string &path, uint64_t steps, uint64_t epochs);

  using Names = std::vector<std::string>;
  using Arrays = std::vector<AnyArray>;
  using Elements = std::vector<int>;

  /// All that are given, or none where one does not fit.
  void setStates(const Names &names, const Arrays &arrays, const Elements &elements);

  nanobind::list run(const std::string &program, const Names &names, const Arrays &arrays, const Elements &elements);
  nanobind::list evaluate(const Names &names, const Arrays &arrays, const Elements &elements);

  /// Steps and epochs are told to the callables, which may be None; a true result ends training, and so do exceptions
  /// and signals, which are raised when it has. `onInputs` is told the step and its inputs as handles of the C API
  /// until its result is true. `behind` are steps and epochs before it, none for a fresh start. Without arrays
  /// `nextStep` gives the batches of each step: names, arrays and element types, of all batches one behind the other,
  /// and the rows of each; None where an epoch is over. `stepsPerEpoch`, for people, is 0 where nobody knows it.
  nanobind::tuple train(const Names &flagNames, const Names &flagValues, const Names &names, const Arrays &arrays,
                        const Elements &elements, const Names &testNames, const Arrays &testArrays,
                        const Elements &testElements, std::optional<std::tuple<uint64_t, uint64_t>> behind,
                        nanobind::object onStep, nanobind::object onEpoch, nanobind::object onInputs,
                        nanobind::object nextStep, uint64_t stepsPerEpoch, bool oneByOne);

  /// What the variant of a program holds and needs that the device runs, as JSON.
  std::string statistics(const std::string &program, uint64_t residentBytes);

  /// The times of a program's kernels, as JSON; each run goes on from the state that is there.
  std::string timeKernels(const std::string &program, unsigned warmup, unsigned repeat);

private:
  std::shared_ptr<MpSession> get() const;
  template <typename Call> void call(Call &&function);

  std::shared_ptr<MpSession> handle;
};

#endif // MP_PYTHON_SESSION_H

// An executable on a device, with its state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ErrorOr<std::unique_ptr<Session>> session = Session::create(file, device);
//   (*session)->initialize(seed);
//   ErrorOr<NamedTensors> results = (*session)->run("infer", {{"x", images}});

#ifndef MP_RUNTIME_CORE_SESSION_H
#define MP_RUNTIME_CORE_SESSION_H

#include "mp/Runtime/Core/Device.h"
#include "mp/Runtime/Core/ProgramRunner.h"
#include "mp/Runtime/Tensors/Tensor.h"

#include <memory>
#include <set>

namespace mp {

/// What state starts from.
enum class FirstValues : uint8_t {
  Stored,       ///< the values that the file holds; of what it holds none, the initializer's
  Initializers, ///< as if the file held none
};

/// Owns an executable, a device and the state that all programs of the executable share. The state
/// stays on the device between runs.
class Session {
public:
  /// Allocates the state table on the device, zeroed; initialize or setState give it values.
  static ErrorOr<std::unique_ptr<Session>> create(std::shared_ptr<const LoadedExecutable> file,
                                                  std::unique_ptr<Device> device);

  const executable::ExecutableT &table() const { return file->table; }
  Device &device() { return *target; }

  /// Metadata of the executable under `key`, or null.
  const std::string *metadata(std::string_view key) const;

  /// Gives every entry its stored value, or its initializer's under the run's seed, and recomputes derived state.
  Status initialize(uint64_t seed, FirstValues from = FirstValues::Stored);

  /// How many entries the file holds values of.
  size_t storedStates() const;

  /// The entries that this device has, in the table's order: derived ones of code that it does not run are left out.
  std::vector<std::string> stateNames() const;
  bool hasState(std::string_view name) const { return findState(name).has_value(); }

  /// Waits for the queue and reads a state entry.
  ErrorOr<HostTensor> state(std::string_view name);

  /// Replaces state entries, whose types must be the entries', and recomputes what is derived of them: all that are
  /// given, or none where one does not fit. What waits for `apply` becomes a copy of what is set, unless `values` say
  /// what waits. Derived state itself cannot be set.
  Status setState(std::string_view name, const HostTensor &value);
  Status setState(const NamedTensors &values);

  bool hasProgram(std::string_view name) const { return findProgram(name) != nullptr; }

  /// The batches for which the device can run code of the program, from the smallest; none where its code is for any.
  std::vector<int64_t> batches(std::string_view program) const;

  /// The one to run so many rows with: the smallest that holds them, else the largest.
  std::optional<int64_t> batchFor(std::string_view program, uint64_t rows) const;

  /// The variant that the device prefers among those that it can run, of equal ones that of the largest batch. With
  /// `batch`, only those made for it (a variant without batched arguments fits any). The error says what there is code
  /// for, and what that needs.
  ErrorOr<const executable::VariantT *> select(std::string_view program, std::optional<int64_t> batch = {}) const;

  /// Loads a variant for this session's state. The session outlives the runner.
  ErrorOr<std::unique_ptr<ProgramRunner>> load(std::string_view program, std::optional<int64_t> batch = {},
                                               unsigned slots = 1);

  /// Runs a program once on named inputs and returns its results in order, next states excepted.
  ///
  /// Batched inputs may have any equal number of rows: they are run in chunks of the batch that batchFor
  /// says, the last padded with zero rows. Row weights are 1 for rows given, 0 for padding, where
  /// the caller gives none. Results per row are cut and joined, a loss is the mean over rows. A
  /// program that changes state, or one whose other results are not per row, takes exactly one
  /// batch. Errors name missing and unknown inputs, wrong types and shapes.
  ErrorOr<NamedTensors> run(std::string_view program, const NamedTensors &inputs);

  /// Device memory of state and of what run() has loaded.
  uint64_t residentBytes() const;

private:
  Session() = default;

  const executable::ProgramT *findProgram(std::string_view name) const;
  std::optional<size_t> findState(std::string_view name) const;
  /// The entry that a value is for, if it fits.
  ErrorOr<size_t> checkState(std::string_view name, const HostTensor &value) const;
  Status upload(std::string_view name, const HostTensor &value);
  std::optional<size_t> findPending(std::string_view name) const;
  Status copyToPending(std::string_view name);
  Status runDerive();
  std::set<std::string> derivedStates() const;
  ErrorOr<ProgramRunner *> cachedRunner(std::string_view program, std::optional<int64_t> rows);

  std::shared_ptr<const LoadedExecutable> file;
  std::unique_ptr<Device> target;
  std::vector<std::unique_ptr<DeviceMemory>> stateBlocks; // none for derived state of other devices' variants
  std::vector<DeviceMemory *> stateList;
  std::vector<std::unique_ptr<ProgramRunner>> runners; // that run() has used
};

} // namespace mp

#endif // MP_RUNTIME_CORE_SESSION_H

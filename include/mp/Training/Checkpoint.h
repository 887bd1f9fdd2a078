// State of a training run, on disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder holds `step-N-HASH.safetensors`, with every saved state entry and, as metadata, the position
// in the data; and `manifest.json`, which names that file and its hash. The tensors are written
// first, each file whole or not at all, the manifest last, and only then older files are removed:
// whenever a process is killed, the manifest names a whole checkpoint.

#ifndef MP_TRAINING_CHECKPOINT_H
#define MP_TRAINING_CHECKPOINT_H

#include "mp/Runtime/Core/Session.h"

#include <map>

namespace mp {

/// Where a training run stands, and what must be the same for going on to make the same bits.
struct TrainPosition {
  uint64_t step = 0;  // steps done
  uint64_t epoch = 0; // of the next batch
  uint64_t batch = 0; // index of the next batch in its epoch, or their number where the epoch's evaluation was stopped
  uint64_t seed = 0;
  uint64_t rows = 0; // of the data set
  uint64_t batchSize = 0;
  uint64_t accumulate = 1;
  uint64_t stepsPerEpoch = 0;
  std::string augment; // as formatAugmentation writes it
  /// The loss and each metric, summed over the rows of this epoch that steps have read; of the last epoch before the
  /// first batch of the next.
  std::map<std::string, double> scoreSums;
};

/// What a checkpoint holds.
struct Checkpoint {
  TrainPosition position;
  std::string policy; // that the job was compiled with
  NamedTensors tensors;
};

/// Makes the folder if it is not there. Fails where nothing could be written into it.
Status makeCheckpointFolder(const std::string &folder);

/// Writes a checkpoint of all saved state. Makes the folder if it is not there.
Status saveCheckpoint(const std::string &folder, Session &session, const TrainPosition &position);

/// Whether the folder has a manifest.
bool hasCheckpoint(const std::string &folder);

/// In a folder without a manifest, a file that looks like a checkpoint's; empty where there is none.
std::string findUnnamedCheckpoint(const std::string &folder);

/// Reads the folder's checkpoint and checks its hash and its form. Messages start with the path.
ErrorOr<Checkpoint> readCheckpoint(const std::string &folder);

/// Sets the session's state to the checkpoint's and recomputes what is derived. Nothing is changed where the checkpoint
/// belongs to another model, has state that the session does not (another optimizer's), or where one of the scalars
/// that training knows has a value that no run leaves. With `otherPolicy` the loss scaler's state may be missing, and
/// is then as it was.
Status restoreCheckpoint(const Checkpoint &checkpoint, Session &session, bool otherPolicy = false);

/// The policy that the tensors of a safetensors file, or of a folder's checkpoint, were trained with; empty where the
/// file does not say, or is not Halfstep's.
ErrorOr<std::string> savedPolicy(const std::string &path);

/// The tensors of a safetensors file, or of the checkpoint of a folder, by name. They need not be trusted.
ErrorOr<NamedTensors> readWeights(const std::string &path);

/// Sets parameters, and states of the model itself that are there, by name from a safetensors file or from the
/// checkpoint of a folder; all, or none where one does not fit. Missing parameters, other shapes and numbers that the
/// state cannot hold are errors; what else is in the file is ignored.
Status loadWeights(const std::string &path, Session &session);

/// Writes tensors as a safetensors file that says that it is of Halfstep.
Status writeWeights(const std::string &path, const NamedTensors &tensors);

/// Writes parameters and states of the model itself as a safetensors file.
Status saveWeights(const std::string &path, Session &session);

/// Sets all saved state from what saveState wrote or from the checkpoint of a folder, or none. State that is missing
/// and tensors that the executable does not have are errors.
Status loadState(const std::string &path, Session &session);

/// Writes all saved state as a safetensors file, and the steps and epochs that are behind it.
Status saveState(const std::string &path, Session &session, uint64_t step, uint64_t epoch);

} // namespace mp

#endif // MP_TRAINING_CHECKPOINT_H

// Tensors in files, for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/SessionHandle.h"
#include "CAPI/Status.h"
#include "CAPI/Tensors.h"

#include "mp/Training/Checkpoint.h"

using namespace mp;

MpStatus *mpTensorsWrite(const char *path, const char *const *names, const MpTensor *tensors, size_t count) {
  return guarded([&]() -> Status {
    for (Status given : {needs(path, "path"), needs(count && !names ? nullptr : path, "names"),
                         needs(count && !tensors ? nullptr : path, "tensors")})
      if (!given.ok())
        return given;
    ErrorOr<NamedTensors> named = fromC(names, tensors, count, "a tensor's name");
    return named ? writeWeights(path, *named) : named.status();
  });
}

MpStatus *mpTensorsRead(const char *path, MpTensors **tensors) {
  return guarded([&]() -> Status {
    for (Status given : {needs(path, "path"), needs(tensors, "tensors")})
      if (!given.ok())
        return given;
    ErrorOr<NamedTensors> read = readWeights(path);
    if (read)
      *tensors = toC(std::move(*read));
    return read.status();
  });
}

MpStatus *mpSessionLoadWeights(MpSession *session, const char *path) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(path, "path")})
      if (!given.ok())
        return given;
    return giveValues(*session, [&](Session &own) { return loadWeights(path, own); });
  });
}

MpStatus *mpSessionLoadState(MpSession *session, const char *path) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(path, "path")})
      if (!given.ok())
        return given;
    return giveValues(*session, [&](Session &own) { return loadState(path, own); });
  });
}

MpStatus *mpSessionSaveState(MpSession *session, const char *path, uint64_t steps, uint64_t epochs) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(path, "path")})
      if (!given.ok())
        return given;
    return alone(*session, [&](Session &own) { return saveState(path, own, steps, epochs); });
  });
}

MpStatus *mpSessionSaveWeights(MpSession *session, const char *path) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(path, "path")})
      if (!given.ok())
        return given;
    return alone(*session, [&](Session &own) { return saveWeights(path, own); });
  });
}

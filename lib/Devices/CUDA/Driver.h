// The CUDA driver library, opened at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_DRIVER_H
#define MP_LIB_DEVICES_CUDA_DRIVER_H

#include "Devices/CUDA/DriverTypes.h"
#include "mp/Base/Status.h"

#include <string>

namespace mp::cuda {

template <typename Signature> struct DriverFunction;

/// A function of the library with its name, which errors say.
template <typename... Parameters> struct DriverFunction<Result(Parameters...)> {
  const char *name;
  Result (*address)(Parameters...) = nullptr;
};

/// The driver's functions, each called as
///
///   if (Status made = driver.call(driver.streamCreate, &stream, kStreamNonBlocking); !made.ok())
///     return made; // "cuStreamCreate: CUDA_ERROR_OUT_OF_MEMORY, out of memory"
class Driver {
public:
  /// Loads a library (once; it stays for the life of the process, since it has threads of its own)
  /// and finds all functions. The error says whether there is no driver, or one that is too old.
  static ErrorOr<const Driver *> open(const std::string &library);

  /// The CUDA version that the driver is for: 12040 is 12.4.
  int version() const { return versionNumber; }

  template <typename... Parameters, typename... Arguments>
  Status call(const DriverFunction<Result(Parameters...)> &function, Arguments... arguments) const {
    Result result = function.address(arguments...);
    return result == Result::Success ? Status::success() : error(function.name, result);
  }

  /// What a call's result means, as one line: the call, the driver's name and text for the error, and
  /// what to do about it where that is known.
  Status error(const char *call, Result result) const;

// NOLINTNEXTLINE(bugprone-macro-parentheses): parameters come in parentheses of their own
#define DRIVER_FUNCTION(name, symbol, parameters) DriverFunction<Result parameters> name{#symbol};
#include "Devices/CUDA/DriverFunctions.def"

private:
  Driver() = default;
  Status resolve(void *library, const std::string &name);

  int versionNumber = 0;
};

/// "12.4" of 12040.
std::string formatVersion(int version);

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_DRIVER_H

// The evaluator as a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_REFERENCE_REFERENCEDEVICE_H
#define MP_REFERENCE_REFERENCEDEVICE_H

#include "mp/Runtime/Core/Device.h"

namespace mp {

/// A device that runs variants with target "reference": their blob is the program's mp text, which
/// the evaluator computes op by op. Its memory is the host's, and its queue is empty whenever
/// enqueue returns.
///
/// A variant whose text does not parse and verify, lacks the program, or contradicts the variant's
/// signature is refused by load with the first diagnostic as its message.
ErrorOr<std::unique_ptr<Device>> createReferenceDevice(const DeviceOptions &options = {});

/// Registers createReferenceDevice as "reference".
void registerReferenceDevice();

} // namespace mp

#endif // MP_REFERENCE_REFERENCEDEVICE_H

// Remarks of a compilation, by their categories.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PIPELINE_REMARKS_H
#define MP_PIPELINE_REMARKS_H

#include "mp/Base/Status.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace mp {

/// Which remarks a compilation makes, and which of them somebody asked for.
class Remarks {
public:
  /// Makes the remarks of categories that match the regular expression diagnostics of the context; none for an empty
  /// one. An error where it is no regular expression.
  static ErrorOr<Remarks> enable(mlir::MLIRContext &context, llvm::StringRef categories);

  /// What to say where remarks were asked for and none was made: `no remark has a category that matches 'codgen'; there
  /// are those of codegen, mp-autocast; did you mean 'codegen'?`. Empty else.
  std::string warning() const;

private:
  struct Seen;
  std::shared_ptr<Seen> seen;
};

} // namespace mp

#endif // MP_PIPELINE_REMARKS_H

// What the compiler says, on its way to C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_DIAGNOSTICS_H
#define MP_LIB_CAPI_DIAGNOSTICS_H

#include "mp-c/Compiler.h"

#include "mp/Base/Fault.h"

#include "mlir/IR/Diagnostics.h"

#include <set>
#include <string>

namespace mp {

/// Hands each diagnostic to a caller, and keeps the errors as lines of text. An op of a model is in several of its
/// programs: the same error is told once.
class Diagnostics {
public:
  Diagnostics(MpDiagnosticHandler handler, void *user) : handler(handler), user(user) {}

  void add(mlir::Diagnostic &diagnostic);

  /// Errors and their notes, a line each.
  const std::string &errors() const { return text; }

  /// What the first error is about.
  const Fault &fault() const { return first; }

private:
  void tell(const mlir::Diagnostic &diagnostic);
  void keep(const mlir::Diagnostic &diagnostic);

  MpDiagnosticHandler handler;
  void *user;
  std::string text;
  Fault first;
  std::set<std::pair<const void *, std::string>> seen; // errors at their locations
};

} // namespace mp

#endif // MP_LIB_CAPI_DIAGNOSTICS_H

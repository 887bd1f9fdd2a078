// What the compiler says, on its way to C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mp/Analysis/Place.h"
#include "mp/IR/Faults.h"

using namespace mlir;

namespace mp {

static MpSeverity severityOf(const Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return MP_ERROR;
  case DiagnosticSeverity::Warning:
    return MP_WARNING;
  case DiagnosticSeverity::Note:
    return MP_NOTE;
  case DiagnosticSeverity::Remark:
    return MP_REMARK;
  }
  llvm_unreachable("unknown severity");
}

/// The message, and before it the name that its op has: a line of Python says no layer.
static std::string messageOf(const Diagnostic &diagnostic) {
  const Place place(diagnostic.getLocation());
  return (place.name.empty() ? "" : "in '" + place.name + "': ") + diagnostic.str();
}

void Diagnostics::tell(const Diagnostic &diagnostic) {
  std::string message = messageOf(diagnostic), file;
  MpDiagnostic told = {sizeof(told), severityOf(diagnostic), "", 0, 0, message.c_str()};
  if (auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    file = where.getFilename().str();
    told.file = file.c_str();
    told.line = where.getLine();
    told.column = where.getColumn();
  }
  handler(&told, user);
}

void Diagnostics::keep(const Diagnostic &diagnostic) {
  llvm::raw_string_ostream os(text);
  if (!text.empty())
    os << '\n';
  if (auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    os << where.getFilename().getValue() << ':' << where.getLine() << ':' << where.getColumn() << ": ";
  os << messageOf(diagnostic);
}

void Diagnostics::add(Diagnostic &diagnostic) {
  const bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  if (isError && !seen.emplace(diagnostic.getLocation().getAsOpaquePointer(), diagnostic.str()).second)
    return;
  if (isError && text.empty())
    first = getFault(diagnostic);
  auto handle = [&](const Diagnostic &one) {
    if (handler)
      tell(one);
    if (isError)
      keep(one);
  };
  handle(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    handle(note);
}

} // namespace mp

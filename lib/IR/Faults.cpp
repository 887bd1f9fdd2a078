// What an error of the dialect is about, beside its text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace mp {

// Metadata are arguments of a diagnostic: numbers in this order, then texts as attributes, whose storage lives as long
// as the context.
static constexpr size_t kNumbers = 5;

InFlightDiagnostic about(InFlightDiagnostic diagnostic, Fault fault) {
  Diagnostic *one = diagnostic.getUnderlyingDiagnostic();
  if (!one)
    return diagnostic;
  Builder b(one->getLocation().getContext());
  const Fault before = getFault(*one);
  fault.op = fault.op.empty() ? before.op : fault.op;
  fault.constraint = fault.constraint ? fault.constraint : before.constraint;
  one->getMetadata().clear();
  auto add = [&](Attribute value) { one->getMetadata().push_back(DiagnosticArgument(value)); };
  for (int64_t number :
       {int64_t(fault.code), fault.operand, fault.other, int64_t(fault.elements), int64_t(fault.constraint)})
    add(b.getI64IntegerAttr(number));
  for (const std::string *text : {&fault.op, &fault.name, &fault.value})
    add(b.getStringAttr(*text));
  SmallVector<StringRef> known(fault.known.begin(), fault.known.end());
  add(b.getStrArrayAttr(known));
  return diagnostic;
}

InFlightDiagnostic violates(InFlightDiagnostic error, const Twine &of, unsigned constraint) {
  Fault fault = faultOf(constraint ? FaultCode::Constraint : FaultCode::Other);
  fault.op = of.str();
  fault.constraint = constraint;
  return about(std::move(error), std::move(fault));
}

InFlightDiagnostic violates(Operation *op, unsigned constraint) {
  return violates(op->emitOpError(), op->getName().getStringRef(), constraint);
}

Fault getFault(Diagnostic &diagnostic) {
  Fault fault;
  if (auto where = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    fault.file = where.getFilename().str();
    fault.line = where.getLine();
  }
  ArrayRef<DiagnosticArgument> metadata = diagnostic.getMetadata();
  if (metadata.size() != kNumbers + 4)
    return fault;
  auto number = [&](size_t i) { return cast<IntegerAttr>(metadata[i].getAsAttribute()).getInt(); };
  auto text = [&](size_t i) { return cast<StringAttr>(metadata[i].getAsAttribute()).str(); };
  fault.code = static_cast<FaultCode>(number(0));
  fault.operand = number(1);
  fault.other = number(2);
  fault.elements = static_cast<uint32_t>(number(3));
  fault.constraint = static_cast<unsigned>(number(4));
  fault.op = text(kNumbers);
  fault.name = text(kNumbers + 1);
  fault.value = text(kNumbers + 2);
  for (auto name : cast<ArrayAttr>(metadata[kNumbers + 3].getAsAttribute()).getAsRange<StringAttr>())
    fault.known.push_back(name.str());
  return fault;
}

} // namespace mp

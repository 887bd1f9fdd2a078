// What an error of the dialect is about, beside its text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace mp {

// Metadata are arguments of a diagnostic: numbers in this order, then texts as attributes, whose storage lives as long
// as the context.
static constexpr size_t kNumbers = 4;

InFlightDiagnostic about(InFlightDiagnostic diagnostic, const Fault &fault) {
  Diagnostic *one = diagnostic.getUnderlyingDiagnostic();
  if (!one)
    return diagnostic;
  Builder b(one->getLocation().getContext());
  auto add = [&](Attribute value) { one->getMetadata().push_back(DiagnosticArgument(value)); };
  for (int64_t number : {int64_t(fault.code), fault.operand, fault.other, int64_t(fault.elements)})
    add(b.getI64IntegerAttr(number));
  for (const std::string *text : {&fault.op, &fault.name, &fault.value})
    add(b.getStringAttr(*text));
  SmallVector<StringRef> known(fault.known.begin(), fault.known.end());
  add(b.getStrArrayAttr(known));
  return diagnostic;
}

Fault getFault(Diagnostic &diagnostic) {
  Fault fault;
  ArrayRef<DiagnosticArgument> metadata = diagnostic.getMetadata();
  if (metadata.size() != kNumbers + 4)
    return fault;
  auto number = [&](size_t i) { return cast<IntegerAttr>(metadata[i].getAsAttribute()).getInt(); };
  auto text = [&](size_t i) { return cast<StringAttr>(metadata[i].getAsAttribute()).str(); };
  fault.code = static_cast<FaultCode>(number(0));
  fault.operand = number(1);
  fault.other = number(2);
  fault.elements = static_cast<uint32_t>(number(3));
  fault.op = text(kNumbers);
  fault.name = text(kNumbers + 1);
  fault.value = text(kNumbers + 2);
  for (auto name : cast<ArrayAttr>(metadata[kNumbers + 3].getAsAttribute()).getAsRange<StringAttr>())
    fault.known.push_back(name.str());
  return fault;
}

} // namespace mp

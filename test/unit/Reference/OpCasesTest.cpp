// The table of cases is whole and valid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Program.h"

#include "OpCases/OpCases.h"

#include "mp/IR/MP.h"

#include <gtest/gtest.h>

#include <set>

using namespace mp;

namespace {

/// The function f whose arguments and results are those of the instance.
std::string functionOf(const OpInstance &instance) {
  std::string signature, returned, types;
  for (size_t i = 0; i < instance.operands.size(); ++i)
    signature += (i ? ", %" : "%") + std::to_string(i) + ": " + instance.operands[i];
  for (size_t i = 0; i < instance.results.size(); ++i) {
    returned += (i ? ", " : "") + instance.result(i);
    types += (i ? ", " : "") + instance.results[i];
  }
  return "func.func @f(" + signature + ") -> (" + types + ") {\n" + instance.statement + "\nreturn " + returned +
         " : " + types + "\n}";
}

} // namespace

static void expectEvaluates(const OpCase &use, ElementType element) {
  const OpInstance instance = instantiate(use, element);
  SCOPED_TRACE(use.op + ": " + use.name + ", " + elementName(element) + "\n" + instance.statement);
  Program program(functionOf(instance));
  ASSERT_TRUE(program.func()) << program.errors();
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program.func(), fillOperands(use, element));
  ASSERT_TRUE(succeeded(results)) << program.errors();
  for (size_t i = 0; i < results->size(); ++i)
    EXPECT_EQ(typeName((*results)[i].type), instance.results[i]);
}

TEST(OpCases, everyCaseVerifiesAndEvaluatesInEveryFloatType) {
  for (const OpCase &use : opCases())
    for (ElementType element : {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64})
      if (!use.large && (use.isTyped() || element == ElementType::F32))
        expectEvaluates(use, element);
}

TEST(OpCases, everyOpOfAProgramHasACase) {
  Program program("");
  std::set<std::string> ops;
  for (const OpCase &use : opCases())
    ops.insert(use.op);
  for (mlir::RegisteredOperationName name : program.getContext()->getRegisteredOperationsByDialect("mp"))
    // Ops that hold, end or place others have tests of their own, and so have those that pack for others.
    if (!llvm::is_contained({KernelRole::None, KernelRole::Pack, KernelRole::Unpack},
                            name.getInterface<KernelOpInterface>()->getKernelRole())) {
      EXPECT_TRUE(ops.contains(name.getStringRef().str())) << name.getStringRef().str() << " has no case in OpCases";
    }
}

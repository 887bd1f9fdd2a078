// Values of attributes, as lists of a policy name them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Policy.h"
#include "mp/IR/MP.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <random>

using namespace mp;

namespace {

/// The ops of the dialect, as a policy knows them.
const KnownOps &knownOps() {
  static const KnownOps ops = [] {
    mlir::MLIRContext context;
    context.loadDialect<MPDialect>();
    return collectKnownOps(context);
  }();
  return ops;
}

std::string errorOf(const std::string &entry) {
  return PrecisionPolicy::parse("p", "type: f16\ndeny: " + entry, knownOps()).message();
}

/// What a policy with one entry says of an op whose attribute has a value.
bool matches(const std::string &entry, llvm::StringRef op, mlir::Attribute value) {
  ErrorOr<PrecisionPolicy> policy = PrecisionPolicy::parse("p", "type: f16\ndeny: " + entry, knownOps());
  EXPECT_EQ(policy.message(), "") << entry;
  if (!policy)
    return false;
  auto attribute = [&](llvm::StringRef) { return std::optional(textOfValue(value)); };
  auto nowhere = [] { return llvm::SmallVector<LocationText>(); };
  return policy->categorize({op, PrecisionCategory::Clear, attribute, nowhere})->category == PrecisionCategory::Deny;
}

TEST(AttributeValues, OfEveryOpInAListAreKnown) {
  std::map<ValueKind, unsigned> counts;
  for (const auto &op : knownOps())
    if (op.second.category != PrecisionCategory::Fixed)
      for (const KnownAttribute &attribute : op.second.attributes) {
        EXPECT_NE(attribute.kind, ValueKind::Any) << op.first().str() << " " << attribute.name;
        EXPECT_EQ(attribute.kind == ValueKind::Word, !attribute.words.empty());
        EXPECT_FALSE(llvm::StringRef(attribute.name).ends_with("SegmentSizes"));
        ++counts[attribute.kind];
      }
  for (ValueKind kind : {ValueKind::Flag, ValueKind::Integer, ValueKind::Number, ValueKind::Integers, ValueKind::Word})
    EXPECT_GT(counts[kind], 0u) << static_cast<int>(kind);
}

TEST(AttributeValues, OfAnotherKindAreErrorsAtTheirLine) {
  for (auto [entry, said] : std::initializer_list<std::pair<const char *, const char *>>{
           {"mp.compare[predicate=zz]", "predicate is one of eq, ne, lt, le, gt, ge; found 'zz'"},
           {"mp.compare[predicate=gtt]", "predicate is one of eq, ne, lt, le, gt, ge; found 'gtt'; did you mean 'gt'?"},
           {"mp.compare[predicate=Gt]", "predicate is one of eq, ne, lt, le, gt, ge; found 'Gt'; did you mean 'gt'?"},
           {"mp.compare[predicate=]", "predicate is one of eq, ne, lt, le, gt, ge; found ''"},
           {"mp.compare[predicate=1]", "predicate is one of eq, ne, lt, le, gt, ge; found '1'"},
           {"gelu[approximate=tan]", "approximate is one of none, tanh; found 'tan'; did you mean 'tanh'?"},
           {"mp.matmul[acc=i32]", "acc is one of f16, f32, f64; found 'i32'; did you mean 'f32'?"},
           {"mp.avg_pool[count_padding=1]", "count_padding is one of true, false; found '1'"},
           {"mp.concat[dimension=x]", "dimension is an integer; found 'x'"},
           {"mp.concat[dimension=1.5]", "dimension is an integer; found '1.5'"},
           {"mp.concat[dimension=]", "dimension is an integer; found ''"},
           {"mp.concat[dimension=9223372036854775808]", "dimension is an integer; found '9223372036854775808'"},
           {"mp.leaky_relu[negative_slope=some]", "negative_slope is a number; found 'some'"},
           {"mp.leaky_relu[negative_slope=]", "negative_slope is a number; found ''"},
           {"mp.clamp[min=0x12]", "min is a number; found '0x12'"},
           {"mp.reduce_sum[dimensions=0]", "dimensions is a list of integers, as [0, 1]; found '0'"},
           {"mp.reduce_sum[dimensions=[0, x]]", "dimensions is a list of integers, as [0, 1]; found '[0, x]'"},
           {"mp.reduce_sum[dimensions=[0,]]", "dimensions is a list of integers, as [0, 1]; found '[0,]'"},
           {"mp.reduce_sum[dimensions=array<i64 0>]",
            "dimensions is a list of integers, as [0, 1]; found 'array<i64 0>'"},
           {"mp.reduce_sum[keep_dims=true]", "keep_dims is there or not, and has no value; found 'true'"},
           {"mp.reduce_sum[keep_dims=]", "keep_dims is there or not, and has no value; found ''"}})
    EXPECT_EQ(errorOf(entry), std::string("p:2: '") + entry + "': " + said);
  EXPECT_EQ(errorOf("mp.attention[operandSegmentSizes]"),
            "p:2: 'mp.attention[operandSegmentSizes]': 'mp.attention' has no attribute 'operandSegmentSizes'");
}

TEST(AttributeValues, MatchHoweverTheyAreWritten) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  mlir::Builder b(&context);
  auto greater = ComparePredicateAttr::get(&context, ComparePredicate::gt);
  EXPECT_TRUE(matches("mp.compare[predicate=gt]", "mp.compare", greater));
  EXPECT_TRUE(matches("mp.compare[ predicate = gt ]", "mp.compare", greater));
  EXPECT_FALSE(matches("mp.compare[predicate=ge]", "mp.compare", greater));
  EXPECT_TRUE(matches("mp.matmul[acc=f16]", "mp.matmul", mlir::TypeAttr::get(b.getF16Type())));
  EXPECT_FALSE(matches("mp.matmul[acc=f32]", "mp.matmul", mlir::TypeAttr::get(b.getF16Type())));
  EXPECT_TRUE(matches("mp.avg_pool[count_padding=true]", "mp.avg_pool", b.getBoolAttr(true)));
  EXPECT_FALSE(matches("mp.avg_pool[count_padding=true]", "mp.avg_pool", b.getBoolAttr(false)));
  EXPECT_TRUE(matches("mp.concat[dimension=01]", "mp.concat", b.getI64IntegerAttr(1)));
  EXPECT_TRUE(matches("mp.tril[diagonal=-2]", "mp.tril", b.getI64IntegerAttr(-2)));
  for (const char *same : {"1e-5", "0.00001", "1.0e-05", "1.000000e-05", ".00001"})
    EXPECT_TRUE(
        matches(std::string("mp.leaky_relu[negative_slope=") + same + "]", "mp.leaky_relu", b.getF64FloatAttr(1e-5)))
        << same;
  EXPECT_FALSE(matches("mp.leaky_relu[negative_slope=1e-6]", "mp.leaky_relu", b.getF64FloatAttr(1e-5)));
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char *same : {"inf", "0x7FF0000000000000"})
    EXPECT_TRUE(matches(std::string("mp.clamp[max=") + same + "]", "mp.clamp", b.getF64FloatAttr(infinity))) << same;
  EXPECT_TRUE(matches("mp.clamp[min=-inf]", "mp.clamp", b.getF64FloatAttr(-infinity)));
  for (const char *same : {"[0, 2]", "[0,2]", "[ 0 , 2 ]", "array<i64: 0, 2>"})
    EXPECT_TRUE(
        matches(std::string("mp.reduce_sum[dimensions=") + same + "]", "mp.reduce_sum", b.getDenseI64ArrayAttr({0, 2})))
        << same;
  for (const char *none : {"[]", "array<i64>"})
    EXPECT_TRUE(
        matches(std::string("mp.reduce_sum[dimensions=") + none + "]", "mp.reduce_sum", b.getDenseI64ArrayAttr({})));
  EXPECT_FALSE(matches("mp.reduce_sum[dimensions=[0]]", "mp.reduce_sum", b.getDenseI64ArrayAttr({0, 2})));
}

TEST(AttributeValues, OneValueIsInOneList) {
  EXPECT_EQ(
      PrecisionPolicy::parse("p", "type: f16\ndeny: mp.elu[alpha=1]\nallow: mp.elu[alpha=1.0]", knownOps()).message(),
      "p:3: 'mp.elu[alpha=1]' is in two lists, deny and allow");
  EXPECT_EQ(
      PrecisionPolicy::parse("p", "type: f16\ndeny: mp.elu[alpha=1]\nallow: mp.elu[alpha=1.5]", knownOps()).message(),
      "");
}

TEST(AttributeValues, CommasInListsAreNotBetweenEntries) {
  EXPECT_EQ(splitEntries("mp.add, mp.reduce_sum[dimensions=[0, 1]],mp.mul"),
            (llvm::SmallVector<llvm::StringRef>{"mp.add", " mp.reduce_sum[dimensions=[0, 1]]", "mp.mul"}));
  EXPECT_EQ(splitEntries(""), llvm::SmallVector<llvm::StringRef>{""});
  EXPECT_EQ(splitEntries("a],b,[c,d"), (llvm::SmallVector<llvm::StringRef>{"a]", "b", "[c,d"}));
}

/// Every value that an op prints is one that an entry may name, and any other text is an error or a value.
TEST(AttributeValues, RandomTextsAreValuesOrErrors) {
  std::mt19937 random(1);
  const std::string letters = "gtelnqtrufalsi0123456789.-+eE[],:<>x \t=#";
  unsigned taken = 0;
  for (const auto &op : knownOps())
    if (op.second.category != PrecisionCategory::Fixed)
      for (const KnownAttribute &attribute : op.second.attributes) {
        for (const std::string &word : attribute.words)
          EXPECT_EQ(errorOf(op.first().str() + "[" + attribute.name + "=" + word + "]"), "");
        for (int i = 0; i < 40; ++i) {
          std::string text;
          for (unsigned size = random() % 6; size != 0; --size)
            text += letters[random() % letters.size()];
          ErrorOr<std::string> read = readValue(attribute, text);
          taken += read.ok();
          if (read)
            EXPECT_EQ(*readValue(attribute, *read), *read) << attribute.name << "=" << text;
          else
            EXPECT_TRUE(llvm::StringRef(read.message()).contains(text)) << read.message();
        }
      }
  EXPECT_GT(taken, 20u);
}

} // namespace

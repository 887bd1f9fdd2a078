// Categories from definitions, files and users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Analysis/PageEnd.h"

#include "mp/Analysis/Policy.h"

#include "gtest/gtest.h"

using namespace mp;

namespace {

KnownOps knownOps() {
  KnownOps ops;
  ops["mp.matmul"] = {PrecisionCategory::Allow};
  ops["mp.add"] = {PrecisionCategory::Infer, {{"x"}}};
  ops["mp.exp"] = {PrecisionCategory::Deny, {{"x"}}};
  ops["mp.leaky_relu"] = {PrecisionCategory::Infer, {{"kind"}}};
  ops["mp.cast"] = {PrecisionCategory::Fixed};
  return ops;
}

/// What a policy says of an op with these attributes at these places, with these names.
ErrorOr<OpCategory> categorize(const PrecisionPolicy &policy, llvm::StringRef op,
                               llvm::StringMap<std::string> attributes = {}, std::vector<std::string> places = {},
                               std::vector<std::string> names = {}) {
  auto attribute = [&](llvm::StringRef name) -> std::optional<std::string> {
    auto found = attributes.find(name);
    return found == attributes.end() ? std::nullopt : std::optional(found->second);
  };
  auto listed = [&] {
    llvm::SmallVector<LocationText> found;
    for (const std::string &name : names)
      found.push_back({name, /*isName=*/true});
    for (const std::string &place : places)
      found.push_back({place});
    return found;
  };
  return policy.categorize({op, knownOps().lookup(op).category, attribute, listed});
}

std::string categoryText(const PrecisionPolicy &policy, llvm::StringRef op,
                         llvm::StringMap<std::string> attributes = {}, std::vector<std::string> places = {},
                         std::vector<std::string> names = {}) {
  ErrorOr<OpCategory> found = categorize(policy, op, std::move(attributes), std::move(places), std::move(names));
  if (!found)
    return "error: " + found.message();
  return stringifyPrecisionCategory(found->category).str() + (found->source.empty() ? "" : " by " + found->source);
}

PrecisionPolicy parsed(llvm::StringRef text) {
  ErrorOr<PrecisionPolicy> policy = PrecisionPolicy::parse("p", text, knownOps());
  EXPECT_TRUE(policy.ok()) << policy.message();
  return *policy;
}

Status edit(PrecisionPolicy &policy, PrecisionCategory category, std::vector<std::string> add,
            std::vector<std::string> remove = {}) {
  PolicyEdits::List list{category, add, remove};
  return policy.edit({list}, knownOps());
}

TEST(Policy, BuiltInPoliciesDifferInTheLowType) {
  KnownOps ops = knownOps();
  EXPECT_EQ(PrecisionPolicy::load("mixed_float16", ops)->lowType(), Precision::F16);
  EXPECT_EQ(PrecisionPolicy::load("mixed_bfloat16", ops)->lowType(), Precision::BF16);
  EXPECT_EQ(PrecisionPolicy::load("float32", ops)->lowType(), std::nullopt);
  EXPECT_EQ(categoryText(*PrecisionPolicy::load("mixed_float16", ops), "mp.matmul"), "allow");
}

TEST(Policy, UnknownNamesAreErrors) {
  EXPECT_EQ(PrecisionPolicy::load("mixed_float8", knownOps()).message(),
            "unknown policy 'mixed_float8', expected auto, mixed_float16, mixed_bfloat16, float32, pytorch, "
            "pytorch_cpu, apex_o1, tensorflow, tensorflow_bf16, mxnet, paddle_o1 or the path of a policy file; did you "
            "mean 'mixed_float16'?");
  // What a type, or a system, is called elsewhere; and what is near to nothing.
  for (auto [name, meant] : std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>>{
           {"mixed_bf16", "'mixed_bfloat16'"},
           {"bf16", "'mixed_bfloat16'"},
           {"FP16", "'mixed_float16'"},
           {"amp", "'mixed_float16' or 'mixed_bfloat16'"},
           {"fp32", "'float32'"},
           {"tf32", "'float32' with allow-tf32"},
           {"mxnt", "'mxnet'"},
           {"O1", "'apex_o1'"},
           {"zork", ""}}) {
    const std::string end = meant.empty() ? "policy file" : ("policy file; did you mean " + meant + "?").str();
    EXPECT_TRUE(llvm::StringRef(PrecisionPolicy::load(name, knownOps()).message()).ends_with(end)) << name.str();
  }
  for (const char *name : {"float16", "bfloat16", "apex_o2", "apex_o3", "O2", "O3"}) {
    const std::string low = llvm::StringRef(name).starts_with("b") ? "bfloat16" : "float16";
    EXPECT_EQ(PrecisionPolicy::load(name, knownOps()).message(),
              std::string("policy '") + name + "' would store parameters in " + low +
                  ", which loses small updates; mixed_" + low + " computes in it and stores them in float32");
  }
  EXPECT_EQ(PrecisionPolicy::load("./no-such.policy", knownOps()).message(),
            "policy file ./no-such.policy: No such file or directory");
  EXPECT_EQ(PrecisionPolicy::load("/", knownOps()).message(),
            "policy file /: expected a file of at most 1048576 bytes");
}

TEST(PolicyFile, GivesCategories) {
  PrecisionPolicy policy =
      parsed("# a comment\ntype: bf16\n\nclear: mp.add, exp  # both\nallow: leaky_relu[kind=elu]\n");
  EXPECT_EQ(policy.lowType(), Precision::BF16);
  EXPECT_EQ(categoryText(policy, "mp.add"), "clear by policy p");
  EXPECT_EQ(categoryText(policy, "mp.exp"), "clear by policy p");
  EXPECT_EQ(categoryText(policy, "mp.matmul"), "allow");
  EXPECT_EQ(categoryText(policy, "mp.leaky_relu", {{"kind", "elu"}}), "allow by policy p");
  EXPECT_EQ(categoryText(policy, "mp.leaky_relu", {{"kind", "leaky"}}), "infer");
}

TEST(PolicyFile, ErrorsNameTheLine) {
  auto error = [](llvm::StringRef text) { return PrecisionPolicy::parse("p", text, knownOps()).message(); };
  EXPECT_EQ(error("deny: mp.add"), "p: has no line 'type: f16' or 'type: bf16'");
  EXPECT_EQ(error("type: f8"), "p:1: type is f16 or bf16, once; found 'f8'");
  EXPECT_EQ(error("type: f32"), "p:1: type is f16 or bf16, once; found 'f32'");
  EXPECT_EQ(error("type: f16\ntype: bf16"), "p:2: type is f16 or bf16, once; found 'bf16'");
  const std::string expected =
      "p:2: expected type, zero-dimensional, summed-squares, reduced-precision-reduction, allow, "
      "infer, clear, deny or promote and a colon, found ";
  EXPECT_EQ(error("type: f16\ndeny mp.add"), expected + "'deny mp.add'");
  EXPECT_EQ(error("type: f16\nfixed: mp.add"), expected + "'fixed: mp.add'");
  EXPECT_EQ(error("type: f16\ndeny: mp.addd"), "p:2: 'mp.addd' is not an op; did you mean 'mp.add'?");
  EXPECT_EQ(error("type: f16\ndeny:"), "p:2: '' is not an op");
  EXPECT_EQ(error("type: f16\ndeny: mp.cast"), "p:2: 'mp.cast' is fixed: no list changes its types");
  EXPECT_EQ(error("type: f16\ndeny: mp.add\nallow: add"), "p:3: 'mp.add' is in two lists, deny and allow");
  EXPECT_EQ(error("type: f16\ndeny: mp.add[a\n"),
            "p:2: 'mp.add[a' is not an entry, expected mp.op, mp.op[attribute] or mp.op[attribute=value]");
  EXPECT_EQ(error("type: f16\ndeny: mp.add[=1]"),
            "p:2: 'mp.add[=1]' does not name an attribute, expected mp.op[attribute] or mp.op[attribute=value]");
  EXPECT_EQ(error("type: f16\ndeny: leaky_relu[kinds]"),
            "p:2: 'leaky_relu[kinds]': 'mp.leaky_relu' has no attribute 'kinds'; did you mean 'kind'?");
  EXPECT_EQ(error("type: f16\ndeny: mp.matmul[kind=elu]"),
            "p:2: 'mp.matmul[kind=elu]': 'mp.matmul' has no attribute 'kind'");
  parsed("type: f16\ndeny: mp.matmul[mine.tag]"); // a dialect's
  EXPECT_EQ(error("type: f16\nzero-dimensional: lead"), "p:2: zero-dimensional is follow, found 'lead'");
  EXPECT_EQ(error("type: f16\nsummed-squares: lead"), "p:2: summed-squares is follow, found 'lead'");
  EXPECT_EQ(error("type: f16\nreduced-precision-reduction: yes"),
            "p:2: reduced-precision-reduction is allow, found 'yes'");
  EXPECT_EQ(error("type: f16\ndeny: loc:x"), "p:2: 'loc:x' names a location; a policy file names ops");
}

TEST(PolicyFile, SaysWhetherScalarsFollow) {
  EXPECT_FALSE(parsed("type: f16").scalarsFollow());
  EXPECT_TRUE(parsed("type: f16\nzero-dimensional: follow").scalarsFollow());
  EXPECT_FALSE(PrecisionPolicy::load("mixed_float16", knownOps())->scalarsFollow());
}

TEST(PolicyFile, SaysWhetherSummedSquaresFollow) {
  EXPECT_TRUE(parsed("type: f16").widensSummedSquares());
  EXPECT_FALSE(parsed("type: f16\nsummed-squares: follow").widensSummedSquares());
  for (const char *mixed : {"mixed_float16", "mixed_bfloat16", "auto"})
    EXPECT_TRUE(PrecisionPolicy::load(mixed, knownOps())->widensSummedSquares());
}

TEST(PolicyFile, SaysWhetherSumsOfPartsMayBeLow) {
  EXPECT_FALSE(parsed("type: f16").allowsReducedPrecisionReduction());
  EXPECT_TRUE(parsed("type: f16\nreduced-precision-reduction: allow").allowsReducedPrecisionReduction());
  EXPECT_FALSE(PrecisionPolicy::load("mixed_float16", knownOps())->allowsReducedPrecisionReduction());
}

TEST(PolicyFile, AnyBytesGiveAPolicyOrAnError) {
  std::string text = "type: f16\nallow: mp.add, mp.exp[x=1]\ndeny: mp.matmul\n";
  unsigned errors = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (char byte : {'\0', '\n', ':', '[', ']', ',', '=', '\xff'}) {
      std::string mutated = text;
      mutated[i] = byte;
      ErrorOr<PrecisionPolicy> policy = PrecisionPolicy::parse("p", mutated, knownOps());
      errors += !policy.ok();
      EXPECT_EQ(policy.ok(), policy.message().empty());
    }
  EXPECT_GT(errors, 100u);
}

TEST(PolicyFile, EndsWhereItsTextEnds) {
  const std::string text = "type: f16\nallow: mp.add, mp.exp[x=1] # why\nzero-dimensional: follow\ndeny: mp.matmul";
  for (size_t length = 0; length <= text.size(); ++length) {
    std::string cut = text.substr(0, length);
    ErrorOr<PrecisionPolicy> policy = PrecisionPolicy::parse("p", PageEnd(cut).text(), knownOps());
    EXPECT_EQ(policy.message(), PrecisionPolicy::parse("p", cut, knownOps()).message()) << cut;
  }
}

TEST(UserLists, AreStrongerThanTheFile) {
  PrecisionPolicy policy = parsed("type: f16\nclear: mp.add");
  EXPECT_TRUE(edit(policy, PrecisionCategory::Deny, {"add"}).ok());
  EXPECT_EQ(categoryText(policy, "mp.add"), "deny by deny=add");
}

TEST(UserLists, LocationsAreStrongerThanNames) {
  PrecisionPolicy policy = parsed("type: f16");
  ASSERT_TRUE(edit(policy, PrecisionCategory::Deny, {"add"}).ok());
  ASSERT_TRUE(edit(policy, PrecisionCategory::Allow, {"loc:encoder/*"}).ok());
  EXPECT_EQ(categoryText(policy, "mp.add", {}, {}, {"encoder/3"}), "allow by allow=loc:encoder/*");
  EXPECT_EQ(categoryText(policy, "mp.add", {}, {}, {"decoder/3"}), "deny by deny=add");
  // What is fixed stays, whatever location is named.
  EXPECT_EQ(categoryText(policy, "mp.cast", {}, {}, {"encoder/3"}), "fixed");
}

/// A pattern of a place matches by its parts: what stands where a line stands is a line.
TEST(UserLists, PlacesMatchByTheirParts) {
  struct Case {
    const char *pattern, *matched;
  };
  // Of an op at line 15, column 8, and one at line 8, column 15; then those of another file, and one with a name.
  const std::vector<std::vector<std::string>> places = {{"m.mlir:15", "15:8", "m.mlir:15:8"},
                                                        {"m.mlir:8", "8:15", "m.mlir:8:15"},
                                                        {"dir/n.mlir:15", "15:3", "dir/n.mlir:15:3"}};
  for (auto [pattern, matched] : std::vector<Case>{{"loc:*:15", "0 2"},
                                                   {"loc:15:8", "0"},
                                                   {"loc:15:*", "0 2"},
                                                   {"loc:1?:*", "0 2"},
                                                   {"loc:[0-9]:15", "1"},
                                                   {"loc:m.mlir:15", "0"},
                                                   {"loc:m.mlir:*", "0 1"},
                                                   {"loc:*.mlir:8", "1"},
                                                   {"loc:m.mlir:15:8", "0"},
                                                   {"loc:m.mlir:15:3", ""},
                                                   {"loc:*:15:*", "0 2"},
                                                   {"loc:*:*:15", "1"},
                                                   {"loc:*/n.mlir:15:3", "2"},
                                                   {"loc:*", "0 1 2"},
                                                   {"loc:*:*", "0 1 2"},
                                                   {"loc:*3", ""},
                                                   {"loc:\"*:15\"", ""},
                                                   {"loc:8", ""},
                                                   {"loc:?:15", ""}}) {
    PrecisionPolicy policy = parsed("type: f16");
    ASSERT_TRUE(edit(policy, PrecisionCategory::Deny, {pattern}).ok());
    std::string found;
    for (size_t i = 0; i < places.size(); ++i)
      if (categoryText(policy, "mp.add", {}, places[i]).starts_with("deny"))
        found += (found.empty() ? "" : " ") + std::to_string(i);
    EXPECT_EQ(found, matched) << pattern;
  }
}

/// A name is a whole, though it looks like a place: what matches it as text is its pattern, and in quotes its alone.
TEST(UserLists, NamesThatLookLikePlacesAreNames) {
  struct Case {
    const char *pattern, *matched;
  };
  const std::vector<std::string> names = {"conv1:0:1", "conv1:0", "15:8", "conv1"};
  const std::vector<std::string> place = {"m.mlir:15", "15:8", "m.mlir:15:8"};
  for (auto [pattern, matched] : std::vector<Case>{{"loc:conv1:0:1", "0"},
                                                   {"loc:conv1*", "0 1 3"},
                                                   {"loc:*:1", "0"},
                                                   {"loc:*:0", "1"},
                                                   {"loc:conv1:?", "1"},
                                                   {"loc:*:8", "2"},
                                                   {"loc:?5:8", "2 place"},
                                                   {"loc:\"15:8\"", "2"},
                                                   {"loc:\"*:*\"", "0 1 2"},
                                                   {"loc:*", "0 1 2 3 place"},
                                                   {"loc:\"*\"", "0 1 2 3"},
                                                   {"loc:\"", ""},
                                                   {"loc:*:15", "place"}}) {
    PrecisionPolicy policy = parsed("type: f16");
    ASSERT_TRUE(edit(policy, PrecisionCategory::Deny, {pattern}).ok()) << pattern;
    std::string found;
    for (size_t i = 0; i < names.size(); ++i)
      if (categoryText(policy, "mp.add", {}, {}, {names[i]}).starts_with("deny"))
        found += (found.empty() ? "" : " ") + std::to_string(i);
    if (categoryText(policy, "mp.add", {}, place).starts_with("deny"))
      found += (found.empty() ? "" : " ") + std::string("place");
    EXPECT_EQ(found, matched) << pattern;
  }
}

TEST(UserLists, PatternsThatDisagreeAreErrors) {
  PrecisionPolicy policy = parsed("type: f16");
  ASSERT_TRUE(edit(policy, PrecisionCategory::Deny, {"loc:a*"}).ok());
  ASSERT_TRUE(edit(policy, PrecisionCategory::Allow, {"loc:*b"}).ok());
  EXPECT_EQ(categoryText(policy, "mp.add", {}, {}, {"ab"}),
            "error: both 'loc:a*' and 'loc:*b' match and disagree: deny and allow");
  EXPECT_EQ(categoryText(policy, "mp.add", {}, {}, {"ac"}), "deny by deny=loc:a*");
}

TEST(UserLists, AreDisjointAndKnown) {
  PrecisionPolicy policy = parsed("type: f16");
  ASSERT_TRUE(edit(policy, PrecisionCategory::Deny, {"add"}).ok());
  EXPECT_EQ(edit(policy, PrecisionCategory::Allow, {"mp.add"}).message(),
            "allow=mp.add: 'mp.add' is in two lists, deny and allow");
  EXPECT_EQ(edit(policy, PrecisionCategory::Allow, {"mp.foo"}).message(), "allow=mp.foo: 'mp.foo' is not an op");
  // A layer's name is told where it goes; of a word that is nothing nothing is said.
  EXPECT_EQ(edit(policy, PrecisionCategory::Deny, {"dense1"}).message(),
            "deny=dense1: 'dense1' is not an op; ops of a layer are named by their location, as in loc:dense1");
  EXPECT_EQ(
      edit(policy, PrecisionCategory::Deny, {"encoder.0"}).message(),
      "deny=encoder.0: 'encoder.0' is not an op; ops of a layer are named by their location, as in loc:encoder.0");
  EXPECT_EQ(edit(policy, PrecisionCategory::Deny, {"zork"}).message(), "deny=zork: 'zork' is not an op");
  EXPECT_FALSE(edit(policy, PrecisionCategory::Allow, {"loc:[a"}).ok());
  EXPECT_EQ(edit(policy, PrecisionCategory::Allow, {"loc:"}).message(),
            "allow=loc:: 'loc:' is a pattern that no location matches; expected loc:PATTERN, as in loc:encoder/*");
  EXPECT_FALSE(edit(policy, PrecisionCategory::Allow, {"loc:\"\""}).ok());
}

TEST(UserLists, TakingOutLeavesTheWidestType) {
  PrecisionPolicy policy = parsed("type: f16\nclear: mp.add");
  ASSERT_TRUE(edit(policy, PrecisionCategory::Allow, {}, {"matmul"}).ok());
  EXPECT_EQ(categoryText(policy, "mp.matmul"), "promote by not-allow=matmul");
  EXPECT_EQ(edit(policy, PrecisionCategory::Infer, {}, {"mp.add"}).message(),
            "not-infer=mp.add: 'mp.add' is not in infer but in clear");
  ASSERT_TRUE(edit(policy, PrecisionCategory::Clear, {}, {"mp.add"}).ok());
  EXPECT_EQ(categoryText(policy, "mp.add"), "promote by not-clear=mp.add");
  EXPECT_EQ(edit(policy, PrecisionCategory::Allow, {}, {"mp.foo"}).message(),
            "not-allow=mp.foo: 'mp.foo' is not an op");
}

TEST(UserLists, MovingIsTakingOutAndAdding) {
  PrecisionPolicy policy = parsed("type: f16");
  std::vector<std::string> matmul{"mp.matmul"};
  PolicyEdits::List lists[] = {{PrecisionCategory::Allow, {}, matmul}, {PrecisionCategory::Deny, matmul, {}}};
  ASSERT_TRUE(policy.edit({lists}, knownOps()).ok());
  EXPECT_EQ(categoryText(policy, "mp.matmul"), "deny by deny=mp.matmul");
}

} // namespace

// First values of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/Initialize.h"
#include "mp/Base/Names.h"
#include "mp/Numerics/Philox.h"

#include <cmath>
#include <cstring>

using namespace mp;
using namespace mp::executable;

Fans mp::fansOf(const TensorTypeT &type) {
  const std::vector<int64_t> &shape = type.shape;
  if (shape.empty())
    return {1, 1};
  if (shape.size() == 1)
    return {double(shape[0]), double(shape[0])};
  if (shape.size() == 2)
    return {double(shape[0]), double(shape[1])};
  double window = 1;
  for (size_t i = 1; i + 1 < shape.size(); ++i)
    window *= double(shape[i]);
  return {window * double(shape.back()), window * double(shape.front())};
}

/// A bijection of 64-bit words that spreads every bit (the finalizer of MurmurHash3); 0 stays 0.
static uint64_t spread(uint64_t word) {
  word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD;
  word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53;
  return word ^ word >> 33;
}

/// FNV-1a of the name.
static uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325;
  for (unsigned char letter : name)
    hash = (hash ^ letter) * 0x100000001B3;
  return hash;
}

namespace {

/// The random numbers of one state entry.
struct Draw {
  uint64_t seed;

  Draw(const StateEntryT &entry, uint64_t runSeed)
      : seed(spread(runSeed) ^ spread(static_cast<uint64_t>(entry.initializer->seed)) ^ hashName(entry.name)) {}

  /// In [0, 1), a multiple of 2^-24.
  double uniform(uint64_t element) const { return uniformFloat(randomBits(seed, 0, kInitializerStream, element)); }

  /// Standard normal. The probability is a multiple of 2^-33, never 0 or 1.
  double normal(uint64_t element) const {
    double bits = randomBits(seed, 0, kInitializerStream, element);
    return normalQuantile((bits + 0.5) * 0x1p-32);
  }
};

} // namespace

static void fill(HostTensor &tensor, double value) {
  for (uint64_t i = 0; i < tensor.count(); ++i)
    storeElement(tensor.bytes, tensor.type.element, i, value);
}

static void fillUniform(HostTensor &tensor, const Draw &draw, double low, double high) {
  for (uint64_t i = 0; i < tensor.count(); ++i) {
    storeElement(tensor.bytes, tensor.type.element, i, low + (high - low) * draw.uniform(i));
    if (low < high && elementAt(tensor, i) >= high)
      storeElement(tensor.bytes, tensor.type.element, i, low);
  }
}

static void fillNormal(HostTensor &tensor, const Draw &draw, double mean, double deviation) {
  for (uint64_t i = 0; i < tensor.count(); ++i)
    storeElement(tensor.bytes, tensor.type.element, i, mean + deviation * draw.normal(i));
}

static bool isFloat(ElementType element) { return element >= ElementType::F16; }

/// What "rng" is without initializer: the seed, and step 0.
static ErrorOr<HostTensor> firstRandomState(const StateEntryT &entry, uint64_t runSeed) {
  if (*entry.type != makeType(ElementType::I64, {2}))
    return makeError("state 'rng' is ", typeName(*entry.type), ", expected tensor<2xi64>");
  HostTensor tensor{*entry.type, std::vector<std::byte>(16)};
  tensor.values<uint64_t>()[0] = runSeed;
  return tensor;
}

ErrorOr<HostTensor> mp::initialValue(const StateEntryT &entry, uint64_t runSeed) {
  if (!entry.initializer)
    return entry.name == states::rng ? firstRandomState(entry, runSeed)
                                     : makeError("state '", entry.name, "' has no initializer");
  const InitializerT &how = *entry.initializer;
  ErrorOr<HostTensor> tensor = zeroTensor(*entry.type);
  if (!tensor)
    return tensor.status().in("state '" + entry.name + "'");
  if (how.kind > InitializerKind::Constant && !isFloat(entry.type->element))
    return makeError("state '", entry.name, "' is ", typeName(*entry.type),
                     "; a random initializer needs a float type");

  Draw draw(entry, runSeed);
  Fans fans = fansOf(*entry.type);
  auto uniformWithin = [&](double limit) { fillUniform(*tensor, draw, -limit, limit); };
  switch (how.kind) {
  case InitializerKind::Zeros:
    break;
  case InitializerKind::Ones:
    fill(*tensor, 1);
    break;
  case InitializerKind::Constant:
    fill(*tensor, how.a);
    break;
  case InitializerKind::Normal:
    fillNormal(*tensor, draw, how.a, how.b);
    break;
  case InitializerKind::Uniform:
    fillUniform(*tensor, draw, how.a, how.b);
    break;
  case InitializerKind::GlorotUniform:
    uniformWithin(std::sqrt(6 / (fans.in + fans.out)));
    break;
  case InitializerKind::GlorotNormal:
    fillNormal(*tensor, draw, 0, std::sqrt(2 / (fans.in + fans.out)));
    break;
  case InitializerKind::HeUniform:
    uniformWithin(std::sqrt(6 / fans.in));
    break;
  case InitializerKind::HeNormal:
    fillNormal(*tensor, draw, 0, std::sqrt(2 / fans.in));
    break;
  }
  return tensor;
}

// Inputs that nobody gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/RandomValues.h"
#include "mp/Base/Names.h"
#include "mp/Numerics/Philox.h"
#include "mp/Runtime/Core/Initialize.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace mp;
using namespace mp::executable;

/// No initializer, op or order of a data set draws from it.
static constexpr uint32_t kInputStream = kInitializerStream - 2;

/// Integers of an argument are below this.
static uint32_t limitOf(const Session &session, const ArgumentT &argument) {
  uint32_t classes = 0;
  if (const std::string *text = session.metadata(metadata::classesOf(argument.name)))
    std::from_chars(text->data(), text->data() + text->size(), classes);
  if (classes)
    return classes;
  switch (argument.type->element) {
  case ElementType::I1:
    return 2;
  case ElementType::UI8:
    return 256;
  default:
    return 16;
  }
}

static uint64_t seedOf(std::string_view name, uint64_t seed) {
  for (unsigned char letter : name) // FNV-1a
    seed = (seed ^ letter) * 0x100000001B3;
  return seed;
}

ErrorOr<HostTensor> mp::randomInput(const Session &session, const ArgumentT &argument, uint64_t seed) {
  ErrorOr<HostTensor> tensor = zeroTensor(*argument.type);
  if (!tensor)
    return tensor.status().in("input '" + argument.name + "'");
  const ElementType element = argument.type->element;
  const uint32_t limit = limitOf(session, argument);
  const uint64_t own = seedOf(argument.name, seed);
  for (uint64_t i = 0, count = std::min(tensor->count(), kRandomPeriod); i < count; ++i) {
    const uint32_t bits = randomBits(own, 0, kInputStream, i);
    const double value = element >= ElementType::F16 ? normalQuantile((bits + 0.5) * 0x1p-32) : double(bits % limit);
    storeElement(tensor->bytes, element, i, value);
  }
  const uint64_t period = kRandomPeriod * elementBytes(element);
  for (uint64_t at = period; at < tensor->bytes.size(); at += period)
    std::memcpy(tensor->bytes.data() + at, tensor->bytes.data(), std::min(period, tensor->bytes.size() - at));
  return tensor;
}

Status mp::addRandomInputs(const Session &session, std::string_view program, uint64_t seed, NamedTensors &inputs) {
  ErrorOr<const VariantT *> variant = session.select(program);
  if (!variant)
    return variant.status();
  for (const auto &argument : (*variant)->arguments) {
    if (argument->kind != ArgumentKind::Input || findTensor(inputs, argument->name))
      continue;
    ErrorOr<HostTensor> value = randomInput(session, *argument, seed);
    if (!value)
      return value.status();
    inputs.push_back({argument->name, std::move(*value)});
  }
  return Status::success();
}

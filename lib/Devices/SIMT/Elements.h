// Values in the words of fragments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_ELEMENTS_H
#define MP_LIB_DEVICES_SIMT_ELEMENTS_H

#include "mp/Executable/Simulator.h"
#include "mp/Numerics/Float.h"

namespace mp {

/// Elements in a word of 32 bits.
constexpr int perWord(SimulatorElement element) {
  return element == SimulatorElement::F16 || element == SimulatorElement::BF16 ? 2 : 1;
}

constexpr uint32_t bytesOf(SimulatorElement element) { return 4u / static_cast<uint32_t>(perWord(element)); }

/// Element `index` of a word, the lower half first. Of a tf32 the last 13 bits are not looked at.
inline double getElement(uint32_t word, int index, SimulatorElement element) {
  switch (element) {
  case SimulatorElement::F16:
    return decode(word >> 16 * index & 0xffff, kF16);
  case SimulatorElement::BF16:
    return std::bit_cast<float>(word >> 16 * index << 16);
  case SimulatorElement::TF32:
    return std::bit_cast<float>(word & ~uint32_t(0x1fff));
  case SimulatorElement::F32:
    return std::bit_cast<float>(word);
  }
  return 0;
}

/// Puts a value of an accumulator's type, f16 or f32, in its element.
inline void setElement(uint32_t &word, int index, SimulatorElement element, double value) {
  if (element == SimulatorElement::F32)
    word = std::bit_cast<uint32_t>(static_cast<float>(value));
  else
    word = (word & ~(uint32_t(0xffff) << 16 * index)) | uint32_t(encodeF16(value)) << 16 * index;
}

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_ELEMENTS_H

// Kernels that give each lane words and store what it gets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_DEVICES_SIMT_LANETEXT_H
#define MP_TEST_DEVICES_SIMT_LANETEXT_H

#include <string>

namespace mp::test {

/// `%name0`, `%name1`, ...: words `first` on of the lane's in buffer `buffer`, which has `stride` of them for each
/// thread; values of `type`, 32 bits each.
inline std::string loadWords(const std::string &name, unsigned buffer, unsigned count, const std::string &type,
                             unsigned stride, unsigned first = 0) {
  const std::string tid = "%" + name + "_tid", base = "%" + name + "_base", size = "%" + name + "_stride";
  std::string text = tid + " = nvvm.read.ptx.sreg.tid.x : i32\n" + size + " = llvm.mlir.constant(" +
                     std::to_string(stride) + " : i32) : i32\n" + base + " = llvm.mul " + tid + ", " + size +
                     " : i32\n";
  for (unsigned index = 0; index < count; ++index) {
    const std::string number = std::to_string(index), value = "%" + name + number;
    text += value + "_i = llvm.mlir.constant(" + std::to_string(first + index) + " : i32) : i32\n" + value +
            "_at = llvm.add " + base + ", " + value + "_i : i32\n" + value + "_p = llvm.getelementptr %b" +
            std::to_string(buffer) + "[" + value + "_at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n" + value +
            " = llvm.load " + value + "_p {alignment = 4 : i64} : !llvm.ptr<1> -> " + type + "\n";
  }
  return text;
}

/// Stores `value`, of 32 bits, as word `word` of the thread's `stride` in buffer `buffer`.
inline std::string storeWord(const std::string &value, unsigned buffer, const std::string &type, unsigned stride = 1,
                             unsigned word = 0) {
  static unsigned used = 0;
  const std::string at = "%store" + std::to_string(used++);
  return at + "_tid = nvvm.read.ptx.sreg.tid.x : i32\n" + at + "_s = llvm.mlir.constant(" + std::to_string(stride) +
         " : i32) : i32\n" + at + "_m = llvm.mul " + at + "_tid, " + at + "_s : i32\n" + at +
         "_w = llvm.mlir.constant(" + std::to_string(word) + " : i32) : i32\n" + at + "_a = llvm.add " + at + "_m, " +
         at + "_w : i32\n" + at + "_p = llvm.getelementptr %b" + std::to_string(buffer) + "[" + at +
         "_a] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\nllvm.store " + value + ", " + at +
         "_p {alignment = 4 : i64} : " + type + ", !llvm.ptr<1>\n";
}

/// Stores the `count` members of the struct `value`.
inline std::string storeStruct(const std::string &value, unsigned buffer, unsigned count, const std::string &type,
                               const std::string &structType) {
  std::string text;
  for (unsigned index = 0; index < count; ++index) {
    const std::string member = value + "_m" + std::to_string(index);
    text += member + " = llvm.extractvalue " + value + "[" + std::to_string(index) + "] : " + structType + "\n" +
            storeWord(member, buffer, type, count, index);
  }
  return text;
}

/// "!llvm.struct<(f32, f32)>".
inline std::string structOf(unsigned count, const std::string &type) {
  std::string text = "!llvm.struct<(";
  for (unsigned index = 0; index < count; ++index)
    text += (index ? ", " : "") + type;
  return text + ")>";
}

/// "%a0, %a1".
inline std::string list(const std::string &name, unsigned count) {
  std::string text;
  for (unsigned index = 0; index < count; ++index)
    text += (index ? ", %" : "%") + name + std::to_string(index);
  return text;
}

} // namespace mp::test

#endif // MP_TEST_DEVICES_SIMT_LANETEXT_H

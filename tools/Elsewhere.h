// What verbs and flags are called elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_ELSEWHERE_H
#define MP_TOOLS_ELSEWHERE_H

#include "mp/Base/NearestName.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

/// A word that others have, and what is here under another: near in meaning, where the nearest in letters is something
/// else.
struct ElsewhereName {
  std::string_view word, meant;
};

inline constexpr std::array kVerbsElsewhere = std::to_array<ElsewhereName>({{"fit", "train"},
                                                                            {"predict", "infer"},
                                                                            {"inference", "infer"},
                                                                            {"forward", "infer"},
                                                                            {"evaluate", "train"},
                                                                            {"eval", "train"},
                                                                            {"test", "train"},
                                                                            {"validate", "train"},
                                                                            {"build", "compile"},
                                                                            {"convert", "import"},
                                                                            {"benchmark", "compare"},
                                                                            {"bench", "compare"}});

inline constexpr std::array kFlagsElsewhere = std::to_array<ElsewhereName>({{"--lr", "--learning-rate"},
                                                                            {"--bs", "--batch-size"},
                                                                            {"--batch", "--batch-size"},
                                                                            {"--num-epochs", "--epochs"},
                                                                            {"--max-epochs", "--epochs"},
                                                                            {"--num-steps", "--steps"},
                                                                            {"--max-steps", "--steps"},
                                                                            {"--num-threads", "--threads"},
                                                                            {"--precision", "--policy"},
                                                                            {"--mixed-precision", "--policy"},
                                                                            {"--amp", "--policy"},
                                                                            {"--policies", "--variants"},
                                                                            {"--save-weights", "--checkpoint"},
                                                                            {"--save-dir", "--checkpoint"},
                                                                            {"--output-dir", "--checkpoint"},
                                                                            {"--load-weights", "--weights"},
                                                                            {"--checkpoint", "--weights"},
                                                                            {"--dataset", "--data"},
                                                                            {"--data-dir", "--data"},
                                                                            {"--grad-accum", "--accumulate"},
                                                                            {"--max-grad-norm", "--clip-norm"}});

/// "; did you mean 'train'?" of a word in the table that means one of `known`, else by the letters of the word.
template <size_t size>
std::string suggestMeant(const std::string &word, const std::vector<std::string> &known,
                         const std::array<ElsewhereName, size> &elsewhere) {
  for (const ElsewhereName &one : elsewhere)
    if (one.word == word && std::find(known.begin(), known.end(), one.meant) != known.end())
      return "; did you mean '" + std::string(one.meant) + "'?";
  return suggestName(word, known);
}

} // namespace mp

#endif // MP_TOOLS_ELSEWHERE_H

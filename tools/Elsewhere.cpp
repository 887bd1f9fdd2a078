// What verbs and flags are called elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elsewhere.h"

#include "mp/Base/NearestName.h"

#include <algorithm>
#include <span>
#include <string_view>

using namespace mp;

namespace {

/// A word that others have, and what is here under another: near in meaning, where the nearest in letters is something
/// else.
struct ElsewhereName {
  std::string_view word, meant;
};

} // namespace

static constexpr ElsewhereName kVerbs[] = {
    {"fit", "train"},      {"predict", "infer"},  {"inference", "infer"},   {"forward", "infer"},
    {"evaluate", "train"}, {"eval", "train"},     {"test", "train"},        {"validate", "train"},
    {"build", "compile"},  {"convert", "import"}, {"benchmark", "compare"}, {"bench", "compare"},
};

static constexpr ElsewhereName kFlags[] = {
    {"--lr", "--learning-rate"},
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
    {"--max-grad-norm", "--clip-norm"},
    {"--opt", "--optimizer"},
    {"--optim", "--optimizer"},
    {"--wd", "--weight-decay"},
    {"--num-train-epochs", "--epochs"},
    {"--fp16", "--policy"},
    {"--bf16", "--policy"},
    {"--gradient-accumulation-steps", "--accumulate"},
    {"--grad-clip", "--clip-norm"},
    {"--gradient-clip-val", "--clip-norm"},
    {"--clip-grad-norm", "--clip-norm"},
    {"--num-workers", "--threads"},
    {"--workers", "--threads"},
    {"--gpu", "--device"},
    {"--gpus", "--device"},
    {"--arch", "--chip"},
    {"--save", "--checkpoint"},
    {"--load", "--weights"},
    {"--load", "--resume"},
};

static std::string suggest(const std::string &word, const std::vector<std::string> &known,
                           std::span<const ElsewhereName> elsewhere) {
  // Divided by - or by _.
  std::string divided = word;
  std::ranges::replace(divided, '_', '-');
  for (const ElsewhereName &one : elsewhere)
    if (one.word == divided && std::ranges::find(known, one.meant) != known.end())
      return "; did you mean '" + std::string(one.meant) + "'?";
  return suggestName(word, known);
}

std::string mp::suggestVerb(const std::string &word, const std::vector<std::string> &known) {
  return suggest(word, known, kVerbs);
}

std::string mp::suggestFlag(const std::string &word, const std::vector<std::string> &known) {
  return suggest(word, known, kFlags);
}

// What to do after a comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Advice.h"

#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <charconv>
#include <ostream>

namespace mp {

/// A word as a shell reads it.
static std::string quote(const std::string &word) {
  bool isPlain =
      llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("-_./=:,^+@%").contains(c); });
  if (isPlain && !word.empty())
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// A command, broken into lines that a shell joins again.
static void printCommand(std::ostream &os, const std::vector<std::string> &words) {
  constexpr size_t kLineWidth = 78; // without the backslash
  size_t column = 4;
  os << std::string(column, ' ');
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = quote(words[i]);
    if (i > 0 && column + 1 + word.size() > kLineWidth) {
      os << " \\\n       ";
      column = 7;
    }
    os << (i > 0 ? " " : "") << word;
    column += (i > 0) + word.size();
  }
  os << '\n';
}

/// A number as a flag takes it: what is read back is the same.
static std::string printNumber(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// Whether a setting that is given again adds to what it had.
static bool isList(llvm::StringRef name) {
  return llvm::any_of(settings(),
                      [&](const Setting &setting) { return setting.name == name && setting.value == "OPS"; });
}

/// What the comparison was told of its training, as flags.
static void addTrainWords(const TrainOptions &options, std::vector<std::string> &words) {
  auto add = [&](const char *name, const auto &value) { words.push_back("--" + std::string(name) + "=" + value); };
  add("data", options.data);
  if (!options.testData.empty())
    add("test-data", options.testData);
  if (options.augment.any())
    add("augment", formatAugmentation(options.augment));
  if (options.epochs)
    add("epochs", std::to_string(*options.epochs));
  if (options.steps)
    add("steps", std::to_string(*options.steps));
  if (options.device != "cpu")
    add("device", options.device);
  if (options.lastBatch == LastBatch::Pad)
    add("last-batch", std::string("pad"));
  if (options.seed)
    add("seed", std::to_string(options.seed));
}

/// The settings of all variants, then those of this one, each name once.
static void addSettingWords(const VariantReport &variant, const CompileFlags &flags, const TrainOptions &options,
                            std::vector<std::string> &words) {
  llvm::SmallVector<std::pair<std::string, std::string>> given;
  auto set = [&](llvm::StringRef name, const std::string &value) {
    auto *known = llvm::find_if(given, [&](const auto &setting) { return setting.first == name; });
    if (known == given.end())
      given.emplace_back(name, value);
    else
      known->second = isList(name) ? known->second + "," + value : value;
  };
  if (options.batchSize)
    set("batch-size", std::to_string(*options.batchSize));
  if (options.learningRate)
    set("learning-rate", printNumber(*options.learningRate));
  if (options.accumulate)
    set("accumulate", std::to_string(*options.accumulate));
  for (const auto &[name, value] : flags.given)
    set(name, value);
  set("policy", llvm::StringRef(variant.policy).split(':').first.str());
  for (llvm::StringRef part : splitVariant(variant.policy))
    set(part.split('=').first, part.split('=').second.str());
  for (const auto &[name, value] : given)
    words.push_back("--" + name + "=" + value);
}

void printAdvice(std::ostream &os, const std::string &model, const VariantReport &variant, const CompileFlags &flags,
                 const TrainOptions &options) {
  std::string program = program_invocation_name;
  std::vector<std::string> train = {program, "train", model};
  addTrainWords(options, train);
  addSettingWords(variant, flags, options, train);
  train.push_back("--checkpoint=run");
  os << "\nNext: train " << variant.name << ", keep it in the folder run, and use it.\n\n";
  printCommand(os, train);
  printCommand(os, {program, "infer", model, "--weights=run", "--random-inputs=1"});
  os << "\ndocs/tutorial.md goes from a model of your own to its use.\n";
}

} // namespace mp

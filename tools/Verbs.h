// Command lines that no verb or flag fits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_VERBS_H
#define MP_TOOLS_VERBS_H

#include "Elsewhere.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mp {

/// The names of a tool's verbs.
inline std::vector<std::string> verbsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *verb : app.get_subcommands(nullptr))
    names.push_back(verb->get_name());
  return names;
}

/// What a command line that starts with no verb is told: which there are, and the nearest. Empty where it has one, or
/// asks for help or a version.
inline std::string describeMissingVerb(const CLI::App &app, int argc, const char *const *argv) {
  std::vector<std::string> verbs = verbsOf(app);
  std::string list;
  for (const std::string &verb : verbs)
    list += (list.empty() ? "" : ", ") + verb;
  if (argc < 2)
    return "a verb is missing; expected one of " + list;
  std::string word = argv[1];
  if (word.starts_with("-") || std::find(verbs.begin(), verbs.end(), word) != verbs.end())
    return "";
  return "unknown verb '" + word + "'; expected one of " + list + suggestVerb(word, verbs);
}

/// What is said of a flag whose value is missing behind its `=`, as of a variable of the shell that is not set: the
/// parser would take the next word. Empty where there is none.
inline std::string describeEmptyValue(int argc, const char *const *argv) {
  for (int i = 1; i < argc; ++i)
    if (const std::string word = argv[i]; word.starts_with("--") && word.ends_with('=') && word.size() > 3)
      return word + ": has no value behind '='";
  return "";
}

/// What is said of a command line that does not parse: of a flag that is not there, the nearest of its verb.
inline std::string describeParseError(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return error.what();
  for (const CLI::App *verb : app.get_subcommands())
    for (const std::string &word : verb->remaining()) {
      std::vector<std::string> flags;
      for (const CLI::Option *option : verb->get_options())
        if (option->get_name().starts_with("--"))
          flags.push_back(option->get_name());
      std::string name = word.substr(0, word.find('='));
      return word.starts_with("-") ? verb->get_name() + " does not have flag " + word + suggestFlag(name, flags)
                                   : verb->get_name() + " does not take another argument, found '" + word + "'";
    }
  return error.what();
}

} // namespace mp

#endif // MP_TOOLS_VERBS_H

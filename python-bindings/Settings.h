// Settings of a compilation, from Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_SETTINGS_H
#define MP_PYTHON_SETTINGS_H

#include "mp-c/Compiler.h"

#include <string>
#include <vector>

/// "name=value" each. Points into the given strings, which have to outlive it.
class Settings {
public:
  explicit Settings(const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
      pointers.push_back(text.c_str());
  }

  /// Options with these settings and nothing else.
  MpCompileOptions options() const {
    MpCompileOptions options{};
    options.size = sizeof(options);
    options.settings = pointers.data();
    options.count = pointers.size();
    return options;
  }

private:
  std::vector<const char *> pointers;
};

#endif // MP_PYTHON_SETTINGS_H

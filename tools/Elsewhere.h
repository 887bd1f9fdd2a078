// What verbs and flags are called elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_ELSEWHERE_H
#define MP_TOOLS_ELSEWHERE_H

#include <string>
#include <vector>

namespace mp {

/// "; did you mean 'train'?" for a verb of others that means one of `known`, else by the letters of the word, or
/// nothing.
std::string suggestVerb(const std::string &word, const std::vector<std::string> &known);

/// The same for a flag, as --lr.
std::string suggestFlag(const std::string &word, const std::vector<std::string> &known);

} // namespace mp

#endif // MP_TOOLS_ELSEWHERE_H

// MLIR text that its parser does not survive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_PARSERLIMITS_H
#define MP_IR_PARSERLIMITS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mp {

/// The deepest nesting of regions, types, attributes and parentheses that a tool accepts. MLIR's parser, verifier and
/// printer recurse once or more per level and have no limit of their own: some ten thousand levels end the stack.
inline constexpr unsigned kMaxNesting = 256;

/// Where the parser would not survive a text, counted from 1, and what to say of it there.
struct ParserLimit {
  unsigned line, column;
  std::string message;
};

/// Returns nothing for MLIR text that nests at most kMaxNesting levels and has no array of indices, at which MLIR's
/// parser crashes, else the first place beyond. To be asked before the parser is. An alias counts as deep as what it
/// stands for. Needs no well-formed text; of bytecode, which is read without recursion, it says nothing.
std::optional<ParserLimit> findParserLimit(llvm::StringRef text);

} // namespace mp

#endif // MP_IR_PARSERLIMITS_H

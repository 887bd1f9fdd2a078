// MLIR text that its parser does not survive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/ParserLimits.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <utility>

using llvm::StringRef;

namespace {

/// Reads text once, token by token as far as nesting and arrays need it: brackets, strings, comments, words and
/// aliases.
class TextScanner {
public:
  explicit TextScanner(StringRef text) : text(text) {}

  /// The offset of the first token that the parser does not survive, or npos.
  size_t firstBeyond() {
    while (position < text.size()) {
      size_t start = position;
      if (!scanToken())
        return start;
    }
    return StringRef::npos;
  }

  /// What is wrong with that token.
  std::string complaint = "nested more than " + std::to_string(mp::kMaxNesting) + " levels deep";

private:
  /// Where in `array<TYPE: ...>` a token stands.
  enum class Array { Elsewhere, BehindWord, BehindBracket };

  /// Moves past one token; false if the parser does not survive it.
  bool scanToken() {
    char c = text[position];
    StringRef rest = text.substr(position);
    if (rest.starts_with("//")) {
      position = std::min(text.find('\n', position), text.size());
      return true;
    }
    if (c == '\0' || llvm::isSpace(c)) {
      ++position;
      return true;
    }
    const Array place = std::exchange(array, Array::Elsewhere);
    if (place == Array::BehindBracket && !checkElement(rest))
      return false;
    if (place == Array::BehindWord && c == '<')
      array = Array::BehindBracket;
    if (c == '"')
      return skipString();
    if (rest.starts_with("->")) {
      position += 2;
      return true;
    }
    if (c == '#' || c == '!')
      return scanAlias();
    if (llvm::isAlpha(c))
      return scanWord();
    ++position;
    if (StringRef("+-*").contains(c))
      return reach(++operators);
    if (StringRef(",=:").contains(c))
      operators = 0;
    if (StringRef("([{<").contains(c)) {
      open.push_back(c);
      return reach(0);
    }
    if (StringRef(")]}>").contains(c))
      close(c);
    return true;
  }

  /// The parser asks the type of an array for its bits before it has looked at it, and `index` has none; nor need it be
  /// called so, since an alias may stand for it. No array that is printed has either.
  bool checkElement(StringRef rest) {
    const StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || StringRef("_.$").contains(c); });
    if (word != "index" && !rest.starts_with("!"))
      return true;
    complaint = "elements of an array are " + (word.empty() ? "of an alias" : word.str()) +
                ", expected integers or floats by name, as in array<i64: 1>";
    return false;
  }

  bool skipString() {
    for (++position; position < text.size() && text[position] != '"'; ++position)
      if (text[position] == '\\')
        ++position;
    ++position;
    return true;
  }

  /// `#name` and `!name`: a use is as deep as its definition, `#name = ...` outside all brackets starts one.
  bool scanAlias() {
    StringRef alias = takeName();
    if (open.empty() && text.substr(position).ltrim().starts_with("=")) {
      endDefinition();
      defining = alias;
      deepest = 0;
      return true;
    }
    if (alias == defining)
      endDefinition();
    return reach(depths.lookup(alias));
  }

  /// A definition has no end mark: it lasts to the next one, or to the first use.
  void endDefinition() {
    if (!defining.empty())
      depths[defining] = deepest;
    defining = {};
  }

  /// `d0 floordiv 2`: a word may be an operator.
  bool scanWord() {
    StringRef word = takeName();
    if (word == "array")
      array = Array::BehindWord;
    bool isOperator = word == "floordiv" || word == "ceildiv" || word == "mod";
    return !isOperator || reach(++operators);
  }

  /// Moves past one character and the letters, digits, `_`, `.` and `$` that follow.
  StringRef takeName() {
    size_t start = position++;
    while (position < text.size() && (llvm::isAlnum(text[position]) || StringRef("_.$").contains(text[position])))
      ++position;
    return text.slice(start, position);
  }

  /// A `<` may have been a comparison, so that another closing bracket ends it, too; a `>` without its `<` is one.
  void close(char c) {
    char opening = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
    size_t size = open.size();
    if (opening != '<')
      while (size > 0 && open[size - 1] == '<')
        --size;
    if (size > 0 && open[size - 1] == opening)
      open.truncate(size - 1);
  }

  /// Notes that something nests `more` levels below the open brackets.
  bool reach(unsigned more) {
    deepest = std::max<unsigned>(deepest, open.size() + more);
    return open.size() + more <= mp::kMaxNesting;
  }

  StringRef text;
  size_t position = 0;
  Array array = Array::Elsewhere;
  llvm::SmallVector<char> open;
  /// Operators since the last `,`, `=` or `:`. Of an affine expression they are levels, too: `- - d0`, `d0 + d1 + d2`.
  unsigned operators = 0;
  /// How deep the aliases defined so far nest, and the one being defined.
  llvm::StringMap<unsigned> depths;
  StringRef defining;
  unsigned deepest = 0;
};

} // namespace

std::optional<mp::ParserLimit> mp::findParserLimit(StringRef text) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  TextScanner scanner(text);
  size_t offset = scanner.firstBeyond();
  if (offset == StringRef::npos)
    return std::nullopt;
  StringRef before = text.take_front(offset);
  auto line = static_cast<unsigned>(before.count('\n') + 1);
  auto column = static_cast<unsigned>(offset - (before.rfind('\n') + 1) + 1);
  return ParserLimit{line, column, scanner.complaint};
}

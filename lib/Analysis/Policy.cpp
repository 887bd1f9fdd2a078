// Which category an op has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Policy.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

#include "mp/Base/NearestName.h"

using namespace mp;
using llvm::StringRef;

KnownOps mp::collectKnownOps(mlir::MLIRContext &context) {
  KnownOps ops;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (auto *model = name.getInterface<PrecisionOpInterface>()) {
      KnownOp &known = ops[name.getStringRef()];
      known.category = model->getPrecisionCategory();
      known.attributes = collectAttributes(name);
    }
  return ops;
}

llvm::SmallVector<StringRef> mp::splitEntries(StringRef list) {
  llvm::SmallVector<StringRef> entries;
  int depth = 0;
  size_t start = 0;
  for (auto [at, letter] : llvm::enumerate(list)) {
    depth = std::max(depth + (letter == '[') - (letter == ']'), 0);
    if (letter != ',' || depth > 0)
      continue;
    entries.push_back(list.slice(start, at));
    start = at + 1;
  }
  entries.push_back(list.drop_front(start));
  return entries;
}

// Patterns of places

/// Whether `text` is a line or a column.
static bool isNumber(StringRef text) {
  return !text.empty() && text.find_first_not_of("0123456789") == StringRef::npos;
}

/// Whether a pattern may be of a place, by its parts: a place is FILE:LINE, LINE:COLUMN or FILE:LINE:COLUMN. A
/// `*` is no line, so that `*:15` is line 15 of any file and no column 15; and a column stands behind a line.
static bool mayName(StringRef pattern, StringRef place) {
  const StringRef before = place.rsplit(':').first;
  if (isNumber(before))
    return pattern.contains(':') && pattern.split(':').first.find_first_of("0123456789") != StringRef::npos;
  return !before.contains(':') || !isNumber(before.rsplit(':').second) || pattern.count(':') > 1;
}

/// A name has no parts, though it looks like a place: `conv1:0:1` is what `conv1*` and itself match.
bool PolicyLayer::LocationEntry::matches(const LocationText &location) const {
  return (location.isName || (!isOfNames && mayName(*owned, location.text))) && pattern.match(location.text);
}

// One layer

static std::string quote(StringRef text) { return ("'" + text + "'").str(); }

static Status disagree(StringRef what, PrecisionCategory first, PrecisionCategory second) {
  return makeError(what.str(), " is in two lists, ", stringifyPrecisionCategory(first).str(), " and ",
                   stringifyPrecisionCategory(second).str());
}

/// The full name of the op that an entry names, if a list may hold it.
static ErrorOr<std::string> findOp(StringRef name, const KnownOps &ops) {
  std::string full = name.contains('.') ? name.str() : ("mp." + name).str();
  auto known = ops.find(full);
  if (known == ops.end()) {
    std::vector<std::string> names;
    for (StringRef op : ops.keys())
      names.push_back(op.str());
    llvm::sort(names); // the nearest of several does not depend on the map's order
    return makeError(quote(name), " is not an op", suggestName(full, names));
  }
  if (known->second.category == PrecisionCategory::Fixed)
    return makeError(quote(name), " is fixed: no list changes its types");
  return full;
}

Status PolicyLayer::add(PrecisionCategory category, StringRef entry, const KnownOps &ops, bool allowLocations) {
  std::string source = origin.empty() ? (stringifyPrecisionCategory(category) + "=" + entry).str() : origin;
  if (entry.starts_with("loc:")) {
    if (!allowLocations)
      return makeError(quote(entry), " names a location; a policy file names ops");
    StringRef place = entry.drop_front(4);
    const bool isOfNames = place.size() > 1 && place.front() == '"' && place.back() == '"';
    if (isOfNames)
      place = place.drop_front().drop_back();
    if (place.empty())
      return makeError(quote(entry),
                       " is a pattern that no location matches; expected loc:PATTERN, as in loc:encoder/*");
    auto text = std::make_shared<const std::string>(place);
    auto pattern = llvm::GlobPattern::create(*text);
    if (!pattern)
      return makeError(quote(entry), " is not a pattern: ", llvm::toString(pattern.takeError()));
    for (const LocationEntry &known : byLocation)
      if (known.text == entry && known.category.category != category)
        return disagree(quote(entry), known.category.category, category);
    byLocation.push_back({text, std::move(*pattern), isOfNames, {category, source}, entry.str()});
    return Status::success();
  }

  StringRef name = entry.take_until([](char c) { return c == '['; });
  ErrorOr<std::string> op = findOp(name, ops);
  // A layer's name has numbers, as dense1, or parts, as encoder.0: no op's has.
  if (!op && allowLocations && !name.starts_with("mp.") && name.find_first_of("0123456789/*") != StringRef::npos)
    return makeError(op.status().message(), "; ops of a layer are named by their location, as in loc:", name.str());
  if (!op)
    return op.status();
  StringRef condition = entry.drop_front(name.size());
  if (condition.empty()) {
    auto [known, isNew] = byName.try_emplace(*op, OpCategory{category, source});
    return isNew || known->second.category == category ? Status::success()
                                                       : disagree(quote(*op), known->second.category, category);
  }
  if (!condition.consume_front("[") || !condition.consume_back("]") || condition.trim().empty())
    return makeError(quote(entry), " is not an entry, expected mp.op, mp.op[attribute] or mp.op[attribute=value]");
  auto [attribute, written] = condition.split('=');
  attribute = attribute.trim();
  if (attribute.empty())
    return makeError(quote(entry), " does not name an attribute, expected mp.op[attribute] or mp.op[attribute=value]");
  std::optional<std::string> value;
  if (condition.contains('='))
    value = written.trim().str();
  // One with a dot is a dialect's, which any op may have, with any value.
  if (!attribute.contains('.')) {
    const std::vector<KnownAttribute> &attributes = ops.find(*op)->second.attributes;
    auto known = llvm::find_if(attributes, [&](const KnownAttribute &own) { return own.name == attribute; });
    if (known == attributes.end()) {
      std::vector<std::string> names;
      for (const KnownAttribute &own : attributes)
        names.push_back(own.name);
      return makeError(quote(entry), ": ", quote(*op), " has no attribute ", quote(attribute),
                       suggestName(attribute.str(), names));
    }
    if (value) {
      ErrorOr<std::string> read = readValue(*known, *value);
      if (!read)
        return read.status().in(quote(entry));
      value = *read;
    }
  }
  std::string text = *op + "[" + attribute.str() + (value ? "=" + *value : "") + "]";
  for (const AttributeEntry &known : byAttribute)
    if (known.text == text && known.category.category != category)
      return disagree(quote(text), known.category.category, category);
  byAttribute.push_back({*op, attribute.str(), value, {category, source}, text});
  return Status::success();
}

std::optional<PrecisionCategory> PolicyLayer::findByName(StringRef op) const {
  auto found = byName.find(op);
  return found == byName.end() ? std::nullopt : std::optional(found->second.category);
}

/// The entry that matches, if any; an error if two match and disagree.
template <typename Entry, typename Matches>
static ErrorOr<std::optional<OpCategory>> findOne(const std::vector<Entry> &entries, Matches matches) {
  const Entry *found = nullptr;
  for (const Entry &entry : entries) {
    if (!matches(entry))
      continue;
    if (found && found->category.category != entry.category.category)
      return makeError("both ", quote(found->text), " and ", quote(entry.text),
                       " match and disagree: ", stringifyPrecisionCategory(found->category.category).str(), " and ",
                       stringifyPrecisionCategory(entry.category.category).str());
    found = &entry;
  }
  return found ? std::optional(found->category) : std::nullopt;
}

ErrorOr<std::optional<OpCategory>> PolicyLayer::find(const OpFacts &op) const {
  llvm::SmallVector<LocationText> places;
  if (!byLocation.empty())
    places = op.locations();
  ErrorOr<std::optional<OpCategory>> ofLocation = findOne(byLocation, [&](const LocationEntry &entry) {
    return llvm::any_of(places, [&](const LocationText &place) { return entry.matches(place); });
  });
  if (!ofLocation || *ofLocation)
    return ofLocation;
  ErrorOr<std::optional<OpCategory>> condition = findOne(byAttribute, [&](const AttributeEntry &entry) {
    if (entry.op != op.name)
      return false;
    std::optional<std::string> value = op.attribute(entry.attribute);
    return value && (!entry.value || *entry.value == *value);
  });
  if (!condition || *condition)
    return condition;
  auto found = byName.find(op.listedAs);
  if (found == byName.end())
    found = byName.find(op.name);
  return found == byName.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> PolicyLayer::findUnmatched(llvm::ArrayRef<LocationText> places) const {
  std::vector<std::string> unmatched;
  for (const LocationEntry &entry : byLocation)
    if (llvm::none_of(places, [&](const LocationText &place) { return entry.matches(place); }))
      unmatched.push_back(entry.text);
  return unmatched;
}

// The policy

ErrorOr<OpCategory> PrecisionPolicy::categorize(const OpFacts &op) const {
  // Fixed ops compute in the types that they have; a location pattern may well match them, and leaves them alone.
  if (op.category == PrecisionCategory::Fixed)
    return OpCategory{op.category, {}};
  for (const PolicyLayer *layer : {&user, &file}) {
    ErrorOr<std::optional<OpCategory>> found = layer->find(op);
    if (!found)
      return found.status();
    if (*found)
      return **found;
  }
  return OpCategory{op.category, {}};
}

void PrecisionPolicy::setLowType(Precision precision) {
  const bool isLow = precision != Precision::F32;
  low = isLow ? std::optional(precision) : std::nullopt;
  byCost &= isLow;
}

Status PrecisionPolicy::edit(const PolicyEdits &edits, const KnownOps &ops) {
  for (const PolicyEdits::List &list : edits.lists)
    for (StringRef entry : list.add)
      if (Status added = user.add(list.category, entry, ops, /*allowLocations=*/true); !added.ok())
        return added.in((stringifyPrecisionCategory(list.category) + "=" + entry).str());
  for (const PolicyEdits::List &list : edits.lists)
    for (StringRef entry : list.remove) {
      std::string source = ("not-" + stringifyPrecisionCategory(list.category) + "=" + entry).str();
      ErrorOr<std::string> op = findOp(entry, ops);
      if (!op)
        return op.status().in(source);
      PrecisionCategory current = file.findByName(*op).value_or(ops.find(*op)->second.category);
      if (current != list.category)
        return makeError(source, ": ", quote(*op), " is not in ", stringifyPrecisionCategory(list.category).str(),
                         " but in ", stringifyPrecisionCategory(current).str());
      if (!user.names(*op))
        user.set(*op, PrecisionCategory::Promote, source);
    }
  return Status::success();
}

// A program run on files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Infer.h"
#include "mp/Runtime/Core/RandomValues.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Runtime/Tensors/Npy.h"
#include "mp/Training/Checkpoint.h"

#include <ostream>

using namespace mp;

namespace {

/// NAME=REST, split.
struct Binding {
  std::string name;
  std::string rest;
};

} // namespace

static ErrorOr<Binding> split(const std::string &flag, const std::string &text, const char *form) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return makeError(flag, ": expected ", form, ", found '", text, "'");
  return Binding{text.substr(0, equals), text.substr(equals + 1)};
}

/// The tensors of --input or --expected_output.
static ErrorOr<NamedTensors> readTensors(const std::string &flag, const std::vector<std::string> &texts) {
  NamedTensors tensors;
  for (const std::string &text : texts) {
    ErrorOr<Binding> binding = split(flag, text, "NAME=@FILE.npy or NAME=2x2xf32=1 2 3 4");
    if (!binding)
      return binding.status();
    if (findTensor(tensors, binding->name))
      return makeError(flag, ": '", binding->name, "' is given twice");
    ErrorOr<HostTensor> tensor =
        binding->rest.starts_with("@") ? readNpy(binding->rest.substr(1)) : parseTensor(binding->rest);
    if (!tensor)
      return tensor.status().in(flag + ": " + binding->name);
    tensors.push_back({binding->name, std::move(*tensor)});
  }
  return tensors;
}

static Status unknownResult(const std::string &flag, const std::string &name, const NamedTensors &results) {
  std::string names;
  for (const NamedTensor &result : results)
    names += (names.empty() ? "'" : ", '") + result.name + "'";
  return makeError(flag, ": the program has no result '", name, "'; its results: ", names.empty() ? "none" : names);
}

/// Writes what --output names; returns the names written.
static ErrorOr<std::vector<std::string>> writeOutputs(const NamedTensors &results,
                                                      const std::vector<std::string> &texts, std::ostream &notes) {
  std::vector<std::string> written;
  for (const std::string &text : texts) {
    ErrorOr<Binding> binding = split("--output", text, "NAME=@FILE.npy");
    if (!binding)
      return binding.status();
    if (!binding->rest.starts_with("@"))
      return makeError(FlagName{"output"}, ": expected NAME=@FILE.npy, found '", text, "'");
    const HostTensor *result = findTensor(results, binding->name);
    if (!result)
      return unknownResult("--output", binding->name, results);
    if (Status done = writeNpy(binding->rest.substr(1), *result); !done.ok())
      return done.in("--output: " + binding->name);
    notes << "wrote " << binding->name << ", " << typeName(result->type) << ", to " << binding->rest.substr(1) << '\n';
    written.push_back(binding->name);
  }
  return written;
}

static void printOthers(const NamedTensors &results, const std::vector<std::string> &written, std::ostream &out) {
  constexpr uint64_t kMostPrinted = 1024;
  for (const NamedTensor &result : results) {
    bool isWritten = false;
    for (const std::string &name : written)
      isWritten |= name == result.name;
    if (isWritten)
      continue;
    out << result.name;
    if (result.tensor.count() <= kMostPrinted)
      out << '=' << formatTensor(result.tensor) << '\n';
    else
      out << ": " << typeName(result.tensor.type) << '\n';
  }
}

/// The first result that differs, and how many do.
static Status compareOutputs(const NamedTensors &results, const NamedTensors &expected,
                             const std::optional<Tolerance> &given, std::ostream &notes) {
  Status first;
  size_t different = 0;
  for (const NamedTensor &one : expected) {
    const HostTensor *result = findTensor(results, one.name);
    if (!result)
      return unknownResult("--expected_output", one.name, results);
    const bool isExact = defaultTolerance(result->type.element).absolute == 0;
    Tolerance tolerance = given && !isExact ? *given : defaultTolerance(result->type.element);
    if (Status same = compareTensors(*result, one.tensor, tolerance); !same.ok() && different++ == 0)
      first = same.in(one.name);
  }
  if (different > 1)
    first = first.in(std::to_string(different) + " of " + std::to_string(expected.size()) + " results differ");
  if (!first.ok())
    return first.in("--expected_output");
  if (!expected.empty())
    notes << expected.size() << (expected.size() == 1 ? " result is" : " results are") << " as expected\n";
  return first;
}

Status mp::checkInferOptions(const InferOptions &options) {
  if (options.tolerance && options.expected.empty())
    return makeError(FlagName{"tolerance"}, ": there is no ", FlagName{"expected_output"}, " to compare with");
  for (const std::string &text : options.outputs)
    if (ErrorOr<Binding> binding = split("--output", text, "NAME=@FILE.npy"); binding && binding->rest.starts_with("@"))
      if (Status there = checkFolderOf(binding->rest.substr(1)); !there.ok())
        return there.in("--output=" + binding->name);
  return Status::success();
}

Status mp::infer(Session &session, const InferOptions &options, std::ostream &out, std::ostream &notes) {
  if (Status checked = checkInferOptions(options); !checked.ok())
    return checked;
  // Files first: what is wrong with them is said before anything is computed.
  ErrorOr<NamedTensors> inputs = readTensors("--input", options.inputs);
  if (!inputs)
    return inputs.status();
  ErrorOr<NamedTensors> expected = readTensors("--expected_output", options.expected);
  if (!expected)
    return expected.status();
  if (Status initialized = session.initialize(options.seed); !initialized.ok())
    return initialized;
  if (!options.weights.empty())
    if (Status loaded = loadWeights(options.weights, session); !loaded.ok())
      return loaded;
  if (options.randomInputs)
    if (Status added = addRandomInputs(session, options.program, *options.randomInputs, *inputs); !added.ok())
      return added;
  ErrorOr<NamedTensors> results = session.run(options.program, *inputs);
  if (!results)
    return results.status();
  ErrorOr<std::vector<std::string>> written = writeOutputs(*results, options.outputs, notes);
  if (!written)
    return written.status();
  printOthers(*results, *written, out);
  return compareOutputs(*results, *expected, options.tolerance, notes);
}

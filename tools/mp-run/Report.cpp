// mp-run report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Commands.h"
#include "mp-run/CompileFlags.h"

#include "mp/Base/WholeFile.h"
#include "mp/Report/Comparison.h"
#include "mp/Runtime/Tensors/Files.h"

#include <filesystem>
#include <iostream>

namespace mp {

namespace {
struct ReportCommand {
  std::string input, page, json;
};
} // namespace

/// Whether both name one file, which need not be there yet.
static bool isSameFile(const std::string &a, const std::string &b) {
  if (a.empty() || b.empty() || a == "-" || b == "-")
    return false;
  std::error_code none, ofA, ofB;
  const auto first = std::filesystem::weakly_canonical(a, ofA), second = std::filesystem::weakly_canonical(b, ofB);
  return (!ofA && !ofB && first == second) || std::filesystem::equivalent(a, b, none);
}

static std::string readInput(const std::string &path) {
  // Of a comparison some megabytes, of a log a hundred bytes a step.
  constexpr size_t kMost = size_t(1) << 30;
  std::string text;
  bool isTooLong = false;
  Status read = readWholeFile(path, [&](size_t size) -> std::byte * {
    if ((isTooLong = size > kMost))
      return nullptr;
    text.resize(size);
    return reinterpret_cast<std::byte *>(text.data());
  });
  if (isTooLong)
    fail(path + ": is larger than 1 GiB, which is no log or comparison of runs");
  check(read);
  return text;
}

static void write(const std::string &path, const std::string &text) {
  if (path == "-")
    std::cout << text;
  else if (!path.empty())
    check(writeWholeFile(path, text));
}

static void run(const ReportCommand &command) {
  if (command.page.empty() && command.json.empty())
    fail("report writes nothing: give -o PAGE.html, or --json=FILE");
  if (command.page == "-" && command.json == "-")
    fail("-o - and --json=- both write to standard output");
  if (isSameFile(command.page, command.json))
    fail("-o and --json both write to " + command.page);
  for (const auto &[path, flag] : {std::pair{command.page, "-o"}, {command.json, "--json"}})
    if (isSameFile(path, command.input))
      fail(std::string(flag) + " " + path + ": is what is read; give another file");
  for (const auto &[path, flag] : {std::pair{command.page, "-o"}, {command.json, "--json"}})
    if (!path.empty())
      check(checkFolderOf(path).in(flag));
  ErrorOr<Comparison> comparison = readRuns(readInput(command.input));
  check(comparison.status().in(command.input));
  if (!command.page.empty())
    write(command.page, writePage(*comparison));
  if (!command.json.empty())
    write(command.json, writeJson(*comparison));
}

void addReportCommand(CLI::App &app) {
  auto command = std::make_shared<ReportCommand>();
  CLI::App *verb = app.add_subcommand("report", "write what runs showed as one page that needs nothing else");
  verb->add_option("input", command->input, "what compare --json or train --log wrote")->required();
  verb->add_option("-o,--output", command->page, "the page of HTML, - for standard output (default: none)")
      ->type_name("FILE");
  verb->add_option("--json", command->json, "the same as JSON, - for standard output (default: none)")
      ->type_name("FILE");
  verb->callback([command] { run(*command); });
}

} // namespace mp

// Compile options by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PIPELINE_SETTINGS_H
#define MP_PIPELINE_SETTINGS_H

#include "mp/Base/Status.h"
#include "mp/Pipeline/Pipeline.h"

#include "llvm/ADT/ArrayRef.h"

namespace mp {

/// One compile option as users name it: `--batch-size=64` at the command line, `batch-size=64` in a variant.
struct Setting {
  llvm::StringLiteral name;
  llvm::StringLiteral value; // what stands for its value in help
  llvm::StringLiteral help;  // `{levels}` stands for the names of all CPU levels
  Status (*set)(CompileOptions &options, llvm::StringRef value);
  /// What the options say, as `set` would read it; "none" for an empty list or text.
  std::string (*get)(const CompileOptions &options);
};

/// Every setting, in the order of the compiler's stages.
llvm::ArrayRef<Setting> settings();

/// The help of a setting, with its default: what `defaults` say.
std::string helpOf(const Setting &setting, const CompileOptions &defaults = CompileOptions());

/// Sets one option; an unknown name or a value that does not fit is an error that says what is accepted. It starts with
/// the setting, as in `batch-size=0`.
Status applySetting(CompileOptions &options, llvm::StringRef name, llvm::StringRef value);

/// Reads a variant: a policy, then settings, separated by colons:
/// `mixed_float16:batch-size=256:loss-scale=dynamic:init-scale=2^24`. A part that does not begin with a setting's name
/// and `=` belongs to the setting before it, as in `deny=loc:head` and `deny=loc:head:x=1`.
Status applyVariant(CompileOptions &options, llvm::StringRef variant);

/// The settings of a variant behind its policy, in its memory.
llvm::SmallVector<llvm::StringRef> splitVariant(llvm::StringRef variant);

/// The policy with what was said to differ from it, as a variant: `pytorch:type=bf16:deny=mp.exp`. One that a label of
/// an executable cannot hold, or that a variant cannot say, ends with `...#` and a hash of the whole. Files go by name.
std::string describePolicy(const AutocastPassOptions &autocast);

/// Reads what describePolicy wrote, and nothing else that a variant may say; a description with a hash is an error.
Status applyPolicy(CompileOptions &options, llvm::StringRef description);

/// Refuses options with which no compilation can start: a policy that is not there, numbers out of their range, a
/// target that lacks a chip; and settings that were given and would have no effect. The message starts with the
/// setting.
Status checkSettings(const CompileOptions &options);

} // namespace mp

#endif // MP_PIPELINE_SETTINGS_H

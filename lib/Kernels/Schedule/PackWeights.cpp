// Weights that lie packed between steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mlir/IR/Remarks.h"
#include "mp/IR/Program.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace mp {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

/// How a weight lies packed, for who makes it: the type of its copy in row-major order, lanes that move at once.
struct PackedCopy {
  RankedTensorType type;
  int64_t vector;
};

/// The packed layouts of a module's weights, in the order in which they are read.
using Layouts = llvm::MapVector<DerivedAttr, PackedCopy>;

/// A kernel that packs a weight and does nothing else, and the state that holds what it gives.
struct WeightPack {
  KernelOp kernel;
  DerivedAttr derived;
  PackedCopy copy;
};

} // namespace

static bool isRowMajor(DerivedAttr derived) { return derived && !derived.getPacked(); }

/// What `kernel` is if it packs derived state as it lies. Words of several elements are worth it: where each element
/// becomes one of f32, a packed weight is larger than its copy.
static std::optional<WeightPack> findWeightPack(func::FuncOp program, KernelOp kernel) {
  auto schedule = dyn_cast_or_null<PackScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule || kernel.getInputs().size() != 1)
    return std::nullopt;
  auto state = dyn_cast<BlockArgument>(kernel.getInputs().front());
  auto pack = kernel.getBody().front().getTerminator()->getOperand(0).getDefiningOp<PackOp>();
  DerivedAttr copy = state ? getDerivedArgument(program, state.getArgNumber()) : DerivedAttr();
  // What has more dimensions than a matrix is filters, in layouts of state.
  if (!isRowMajor(copy) || !pack || !isa<BlockArgument>(pack.getInput()) || pack.getBatches() != 1 ||
      pack.getFilters() != (typeOf(state).getRank() > 2) || pack.getPanels().getUnit() == 1)
    return std::nullopt;
  MLIRContext *context = program.getContext();
  auto layout = PackedAttr::get(context, pack.getTransposed(), pack.getPanels());
  auto derived = DerivedAttr::get(context, copy.getOf(), copy.getType(), layout);
  return WeightPack{kernel, derived, {typeOf(state), static_cast<int64_t>(schedule.getVector())}};
}

static SmallVector<WeightPack> findWeightPacks(func::FuncOp program) {
  SmallVector<WeightPack> packs;
  for (KernelOp kernel : program.getOps<KernelOp>())
    if (std::optional<WeightPack> pack = findWeightPack(program, kernel))
      packs.push_back(*pack);
  return packs;
}

static bool writesDerived(func::FuncOp program) {
  return llvm::any_of(llvm::seq(program.getNumResults()),
                      [&](unsigned index) { return bool(getDerivedResult(program, index)); });
}

/// Lets `program` read what lies packed as `layouts` say instead of packing it.
static void readPacked(func::FuncOp program, const Layouts &layouts) {
  SignatureEdit edit(program);
  DenseMap<DerivedAttr, Value> states;
  for (WeightPack &pack : findWeightPacks(program)) {
    if (!layouts.contains(pack.derived))
      continue;
    Value &state = states[pack.derived];
    if (!state)
      state = edit.addDerivedArgument(pack.derived, pack.copy.type, pack.kernel.getLoc());
    edit.replaceAllUses(pack.kernel.getResult(0), state);
    pack.kernel.erase();
  }
  edit.commit();
}

/// Whether `value` is a cast that a kernel makes for nothing but a program's result.
static bool isMadeForState(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto kernel = result ? dyn_cast<KernelOp>(result.getOwner()) : KernelOp();
  if (!kernel || !value.hasOneUse())
    return false;
  Value made = kernel.getBody().front().getTerminator()->getOperand(result.getResultNumber());
  return bool(made.getDefiningOp<CastOp>());
}

/// Whether a map packs words of these panels of `weight` as it makes their elements: none is of
/// two taps.
static bool packsInMap(DerivedAttr derived, RankedTensorType weight) {
  const PackedAttr packed = derived.getPacked();
  const bool crossesTaps =
      weight.getRank() > 2 && packed.getTransposed() && weight.getDimSize(0) % packed.getPanels().getStep() != 0;
  return !packed.getPanels().getDepthInner() && !crossesTaps;
}

static Value packAs(RebuiltKernel &kernel, DerivedAttr derived, Value copy) {
  PackedAttr packed = derived.getPacked();
  return PackOp::create(kernel.b, derived.getStateType(typeOf(copy)), copy, /*batches=*/1,
                        /*filters=*/typeOf(copy).getRank() > 2, packed.getTransposed(), packed.getPanels());
}

namespace {

/// Lets a program that makes copies of weights make them as they are read.
class PackedWriter {
public:
  /// Copies that are `unread` are not made any more.
  PackedWriter(func::FuncOp program, const Layouts &layouts, const DenseSet<DerivedAttr> &unread)
      : program(program), layouts(layouts), unread(unread), edit(program) {
    for (const auto &[derived, copy] : layouts)
      layoutsOf[{derived.getOf(), derived.getType()}].push_back(derived);
  }

  void run() {
    const bool isDerive = getProgramKind(program) == ProgramKind::Derive;
    const llvm::StringMap<BlockArgument> states = getStates(program);
    llvm::MapVector<KernelOp, SmallVector<Copy>> byKernel;
    for (unsigned index = 0; index < program.getNumResults(); ++index) {
      DerivedAttr copy = getDerivedResult(program, index);
      auto result = dyn_cast<OpResult>(edit.getResult(index));
      auto kernel = result ? dyn_cast<KernelOp>(result.getOwner()) : KernelOp();
      if (!isRowMajor(copy) || !kernel)
        continue;
      byKernel[kernel].push_back({copy, result, index});
      // The new state replaces the old, whether the program reads that or not.
      for (DerivedAttr derived : layoutsFor(copy))
        if (!isDerive && !states.contains(derived.getStateName()))
          edit.addDerivedArgument(derived, typeOf(result), result.getLoc());
    }
    for (auto &[kernel, copies] : byKernel)
      rebuild(kernel, copies);
    edit.commit();
    for (KernelOp kernel : replaced)
      kernel.erase();
  }

private:
  /// A copy in row-major order: the result of a kernel, and of the program by its number.
  struct Copy {
    DerivedAttr derived;
    OpResult result;
    unsigned index;

    Value inKernel() const {
      return cast<KernelOp>(result.getOwner()).getBody().front().getTerminator()->getOperand(result.getResultNumber());
    }
  };

  ArrayRef<DerivedAttr> layoutsFor(DerivedAttr copy) { return layoutsOf[{copy.getOf(), copy.getType()}]; }

  void rebuild(KernelOp old, ArrayRef<Copy> copies) {
    llvm::BitVector isDropped(old.getNumResults());
    for (const Copy &copy : copies)
      if (unread.contains(copy.derived)) {
        isDropped.set(copy.result.getResultNumber());
        edit.eraseResult(copy.index);
      }
    // A map packs what it makes, if it is one without that.
    const bool isMap = getKernelKind(old) == KernelKind::Map && !isDropped.all();
    SmallVector<std::pair<DerivedAttr, Value>> inMap;
    for (const Copy &copy : copies)
      for (DerivedAttr derived : layoutsFor(copy.derived)) {
        if (isMap && packsInMap(derived, typeOf(copy.result)))
          inMap.emplace_back(derived, copy.inKernel());
        else
          packApart(old, derived, copy.inKernel());
      }
    if (isDropped.none() && inMap.empty())
      return;
    replaced.push_back(old);

    SmallVector<unsigned> kept;
    for (unsigned index : llvm::seq(old.getNumResults()))
      if (!isDropped[index])
        kept.push_back(index);
    SmallVector<Type> types = llvm::map_to_vector(kept, [&](unsigned i) { return old->getResult(i).getType(); });
    for (auto [derived, copy] : inMap)
      types.push_back(derived.getStateType(typeOf(copy)));
    if (types.empty())
      return;
    RebuiltKernel made(old, types, old.getKernelName());
    Operation *yield = old.getBody().front().getTerminator();
    SmallVector<Value> yields = llvm::map_to_vector(kept, [&](unsigned i) { return made.get(yield->getOperand(i)); });
    for (auto [derived, copy] : inMap)
      yields.push_back(packAs(made, derived, made.get(copy)));
    made.yield(yields);
    made.kernel.setScheduleAttr(old.getScheduleAttr());
    for (auto [number, index] : llvm::enumerate(kept))
      edit.replaceAllUses(old->getResult(index), made.kernel->getResult(number));
    for (auto [number, own] : llvm::enumerate(inMap))
      edit.addDerivedResult(made.kernel->getResult(kept.size() + number), own.first);
  }

  /// A kernel behind `old` that packs `copy`, a value of it, and makes it once more of what is stored.
  void packApart(KernelOp old, DerivedAttr derived, Value copy) {
    auto cast = copy.getDefiningOp<CastOp>();
    Value source = cast ? cast.getInput() : copy;
    auto yields = old.getBody().front().getTerminator()->getOperands();
    auto stored = llvm::find(yields, source);
    RebuiltKernel kernel(old, derived.getStateType(typeOf(copy)), old.getKernelName() + ".pack");
    Value input = stored == yields.end() ? kernel.get(source) : kernel.input(old->getResult(stored - yields.begin()));
    if (cast)
      input = CastOp::create(kernel.b, typeOf(copy), input, kernel.b.getUnitAttr());
    kernel.yield(packAs(kernel, derived, input));
    kernel.kernel.setScheduleAttr(schedulePack(kernel.kernel, layouts.lookup(derived).vector));
    kernel.kernel->moveAfter(old);
    edit.addDerivedResult(kernel.kernel->getResult(0), derived);
  }

  func::FuncOp program;
  const Layouts &layouts;
  const DenseSet<DerivedAttr> &unread;
  SignatureEdit edit;
  DenseMap<std::pair<StringAttr, Type>, SmallVector<DerivedAttr>> layoutsOf;
  SmallVector<KernelOp> replaced;
};

struct PackWeightsPass : mp::impl::PackWeightsPassBase<PackWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> programs = llvm::filter_to_vector(
        module.getOps<func::FuncOp>(), [](func::FuncOp func) { return !func.isExternal() && getProgramKind(func); });
    const Layouts layouts = findLayouts(programs);
    if (layouts.empty() || getPrograms(module, ProgramKind::Derive).empty())
      return markAllAnalysesPreserved();
    for (func::FuncOp program : programs)
      readPacked(program, layouts);
    const DenseSet<DerivedAttr> unread = findUnread(programs, layouts);
    for (func::FuncOp program : programs) {
      if (writesDerived(program))
        PackedWriter(program, layouts, unread).run();
      eraseUnusedArguments(program,
                           [&](unsigned index) { return unread.contains(getDerivedArgument(program, index)); });
    }
    remark::analysis(module.getLoc(), remark::RemarkOpts::name("Summary").category("mp-pack-weights"))
        << remark::metric("packed", layouts.size()) << remark::metric("unread", unread.size());
  }

private:
  /// Those that are read. Where there is training they are those of its programs: what only `eval` or `infer` read
  /// would be made anew in each step.
  static Layouts findLayouts(ArrayRef<func::FuncOp> programs) {
    auto kindOf = [](func::FuncOp program) { return *getProgramKind(program); };
    const bool isTraining = llvm::any_of(
        programs, [&](auto program) { return kindOf(program) != ProgramKind::Derive && writesDerived(program); });
    Layouts layouts;
    for (func::FuncOp program : programs)
      if (!isTraining || llvm::is_contained({ProgramKind::TrainStep, ProgramKind::Accumulate}, kindOf(program)))
        for (const WeightPack &pack : findWeightPacks(program))
          layouts.insert({pack.derived, pack.copy});
    return layouts;
  }

  /// The copies in row-major order that no program reads any more, and that those who make them need not make.
  static DenseSet<DerivedAttr> findUnread(ArrayRef<func::FuncOp> programs, const Layouts &layouts) {
    DenseSet<DerivedAttr> unread;
    for (const auto &[derived, copy] : layouts)
      unread.insert(DerivedAttr::get(derived.getContext(), derived.getOf(), derived.getType(),
                                     RowMajorAttr::get(derived.getContext())));
    for (func::FuncOp program : programs) {
      for (BlockArgument argument : program.getArguments())
        if (!argument.use_empty())
          unread.erase(getDerivedArgument(program, argument.getArgNumber()));
      for (auto [index, value] : llvm::enumerate(getReturn(program).getOperands()))
        if (!isMadeForState(value))
          unread.erase(getDerivedResult(program, index));
    }
    return unread;
  }
};

} // namespace

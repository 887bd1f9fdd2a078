// Our f32 matrix product beside OpenBLAS.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: gemm-benchmark [SIZE...] [--threads=N] [--schedule=block_m,block_n,block_k,tile_m,tile_n,vector]
//
// Compiles one mp.matmul per size, with the schedule that mp-schedule-kernels gives it unless one is named, then
// measures it and OpenBLAS in alternating rounds, in the same run: OpenBLAS chooses its kernels when it is loaded, so
// each of its variants (its default, and the OPENBLAS_CORETYPEs that fit this machine) runs in a process of its own
// that this one starts. Prints a line per size: GF/s, best of all rounds.

#include "mp/Codegen/Build/Codegen.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Kernels/Schedule/Schedules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace mp;

namespace {

struct Problem {
  int64_t m, n, k;
  double flops() const { return 2.0 * m * n * k; }
};

using Matrix = std::vector<float>;

Matrix randomMatrix(int64_t elements, uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Matrix matrix(elements);
  for (float &value : matrix)
    value = uniform(engine);
  return matrix;
}

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// GF/s of the fastest of the calls that fit into a short while. One thread is measured by the time that the processor
/// gave it, so that other work on the machine does not count.
template <typename Call> double measure(const Problem &problem, int threads, Call call) {
  const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  call();
  double best = 1e30;
  const double end = seconds(CLOCK_MONOTONIC) + 0.4;
  for (int runs = 0; runs < 3 || seconds(CLOCK_MONOTONIC) < end; ++runs) {
    const double start = seconds(clock);
    call();
    best = std::min(best, seconds(clock) - start);
  }
  return problem.flops() / best * 1e-9;
}

/// "1024" or "1023x1025x1021"; the program ends at anything else.
Problem parseProblem(llvm::StringRef text) {
  llvm::SmallVector<int64_t> sizes;
  for (llvm::StringRef size : llvm::split(text, 'x'))
    if (size.getAsInteger(10, sizes.emplace_back()) || sizes.back() < 1)
      sizes.assign(2, 0);
  if (sizes.size() == 1)
    sizes.assign(3, sizes.front());
  if (sizes.size() != 3 || sizes.back() == 0) {
    llvm::errs() << "gemm-benchmark: expected SIZE or MxNxK, found '" << text << "'\n";
    std::exit(1);
  }
  return {sizes[0], sizes[1], sizes[2]};
}

/// The schedule of a problem as its attribute has it: `numbers`, or what mp-schedule-kernels chooses where that is
/// empty.
std::string scheduleText(const Problem &p, llvm::StringRef numbers) {
  static constexpr const char *kFields[] = {"block_m", "block_n", "block_k", "tile_m", "tile_n", "vector"};
  llvm::SmallVector<std::string> values;
  for (llvm::StringRef number : llvm::split(numbers, ','))
    values.push_back(number.str());
  if (numbers.empty()) {
    const CPULevel &level = *findCPULevel(hostLevel().name);
    const ContractionBlocks blocks = chooseContractionBlocks(
        {1, p.m, p.n, p.k, level.contractionRates[static_cast<size_t>(ArithmeticType::F32)]}, level);
    values.clear();
    for (int64_t value : {blocks.blockM, blocks.blockN, blocks.blockK, blocks.tileM, blocks.tileN, level.lanes()})
      values.push_back(std::to_string(value));
  }
  std::string text;
  for (auto [field, value] : llvm::zip(kFields, values))
    text += (text.empty() ? "" : ", ") + std::string(field) + " = " + value;
  return text;
}

/// The kernel for one problem, loaded.
class Ours {
public:
  Ours(mlir::MLIRContext &context, const Problem &p, const std::string &schedule) : problem(p) {
    const auto type = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    };
    const std::string a = type(p.m, p.k), b = type(p.k, p.n), c = type(p.m, p.n);
    const std::string text = "func.func @f(%a: " + a + ", %b: " + b + ") -> " + c +
                             " { %c = mp.kernel \"gemm\" (%x = %a, %y = %b) " + "schedule(#mp.contraction<" + schedule +
                             ">) : (" + a + ", " + b + ") -> " + c + " { %z = mp.matmul %x, %y acc f32 : " + a + ", " +
                             b + " -> " + c + "\n mp.yield %z : " + c + " }\n return %c : " + c + " }";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    std::vector<KernelOp> kernels;
    if (module)
      module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    auto code = compileKernels(kernels, hostLevel());
    if (!module || mlir::failed(code))
      std::exit(1);
    const int file = memfd_create("gemm", MFD_CLOEXEC);
    if (write(file, code->library.data(), code->library.size()) < 0)
      std::exit(1);
    void *library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
    kernel = code->kernels.front();
    function = reinterpret_cast<Function>(dlsym(library, kernel.symbol.c_str()));
  }

  double run(Matrix &a, Matrix &b, Matrix &c, int threads) {
    return measure(problem, threads, [&] {
      tbb::parallel_for(int64_t(0), kernel.grid, [&](int64_t block) {
        static thread_local std::unique_ptr<std::byte, decltype(&std::free)> scratch(nullptr, &std::free);
        static thread_local int64_t size = 0;
        if (size < kernel.scratchBytes) {
          scratch.reset(static_cast<std::byte *>(std::aligned_alloc(64, kernel.scratchBytes)));
          size = kernel.scratchBytes;
        }
        void *buffers[] = {a.data(), b.data(), c.data(), scratch.get()};
        function(buffers, block);
      });
    });
  }

  CompiledKernel kernel;

private:
  using Function = void (*)(void **, int64_t);
  Problem problem;
  Function function = nullptr;
};

/// Measures OpenBLAS as this process has it: with the OPENBLAS_CORETYPE of its environment.
double runOpenBLAS(const Problem &p, int threads) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (!library)
    return 0;
  using Gemm =
      void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
  auto gemm = reinterpret_cast<Gemm>(dlsym(library, "cblas_sgemm"));
  auto setThreads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  setThreads(threads);
  Matrix a = randomMatrix(p.m * p.k, 1), b = randomMatrix(p.k * p.n, 2), c(p.m * p.n);
  return measure(p, threads,
                 [&] { gemm(101, 111, 111, p.m, p.n, p.k, 1, a.data(), p.k, b.data(), p.n, 0, c.data(), p.n); });
}

/// The same in a process of its own; 0 where it does not run.
double startOpenBLAS(const std::string &self, const std::string &core, const Problem &p, int threads) {
  const std::string command = (core.empty() ? "" : "OPENBLAS_CORETYPE=" + core + " ") + self + " --worker " +
                              std::to_string(p.m) + " " + std::to_string(p.n) + " " + std::to_string(p.k) + " " +
                              std::to_string(threads) + " 2>/dev/null";
  FILE *pipe = popen(command.c_str(), "r");
  double result = 0;
  if (pipe && fscanf(pipe, "%lf", &result) != 1)
    result = 0;
  if (pipe)
    pclose(pipe);
  return result;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 6 && std::string(argv[1]) == "--worker") {
    printf("%f\n", runOpenBLAS({atoll(argv[2]), atoll(argv[3]), atoll(argv[4])}, atoi(argv[5])));
    return 0;
  }
  std::vector<Problem> problems;
  int threads = 1;
  const bool isWide = hostLevel().vectorBits == 512;
  std::string schedule;
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (argument.consume_front("--threads="))
      argument.getAsInteger(10, threads);
    else if (argument.consume_front("--schedule="))
      schedule = argument.str();
    else
      problems.push_back(parseProblem(argument));
  }
  if (problems.empty())
    problems = {{1024, 1024, 1024}, {1536, 1536, 1536}, {1000, 1000, 1000}, {1023, 1025, 1021}};

  mlir::MLIRContext context;
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const std::vector<std::string> cores = isWide ? std::vector<std::string>{"", "SKYLAKEX", "SAPPHIRERAPIDS"}
                                                : std::vector<std::string>{"", "HASWELL", "ZEN"};
  llvm::outs() << "target " << hostLevel().name << ", " << threads << " thread(s)\n";
  for (const Problem &p : problems) {
    const std::string fields = scheduleText(p, schedule);
    Ours ours(context, p, fields);
    Matrix a = randomMatrix(p.m * p.k, 1), b = randomMatrix(p.k * p.n, 2), c(p.m * p.n);
    double best = 0;
    std::vector<double> others(cores.size());
    for (int round = 0; round < 5; ++round) {
      best = std::max(best, ours.run(a, b, c, threads));
      for (size_t index = 0; index < cores.size(); ++index)
        others[index] = std::max(others[index], startOpenBLAS(argv[0], cores[index], p, threads));
    }
    llvm::outs() << p.m << "x" << p.n << "x" << p.k << " <" << fields << ">: ours " << llvm::format("%.1f", best)
                 << " GF/s";
    for (size_t index = 0; index < cores.size(); ++index)
      llvm::outs() << ", OpenBLAS " << (cores[index].empty() ? "default" : cores[index]) << " "
                   << llvm::format("%.1f", others[index]);
    const double peer = *std::max_element(others.begin(), others.end());
    llvm::outs() << "; " << llvm::format("%.0f", 100 * best / peer) << " % of the best, grid " << ours.kernel.grid
                 << "\n";
  }
  return 0;
}

# Two commands for a new user, `make demo` and `make check`; underneath is CMake with presets.

PRESET ?= release
BUILD = build/$(PRESET)
BASE ?= HEAD~1
ifeq ($(PRESET),asan)
SUITES = $(BUILD)/unit $(BUILD)/test
else
SUITES = $(BUILD)/unit $(BUILD)/test build/asan/unit
AFFECTED = --affected
endif
FASHION_MNIST = /usr/share/datasets/fashion-mnist

.DEFAULT_GOAL := help
.PHONY: help setup build wheel demo check check-full gpu-bundle benchmark lint format docs clean installed configured sanitized

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | while read -r name text; do \
	  printf '  make %-12s %s\n' "$$name" "$$text"; done
	@echo "PRESET=dev, release or asan chooses the build in build/PRESET (now $(PRESET))."

setup: GROUPS = build check python lint
setup: .venv/wheels configured ## install what building and testing need (Debian 12, as root or with sudo), and configure

build: GROUPS = build
build: configured ## build everything into build/PRESET
	@setup/timed build cmake --build --preset $(PRESET)

wheel: GROUPS = build python
wheel: .venv/wheels configured ## make dist/halfstep-*.whl and dist/halfstep_runtime-*.whl, which pip installs
	@setup/timed build cmake --build --preset $(PRESET) --target wheel-files
	@setup/timed pack python-bindings/wheel/pack $(BUILD) dist

demo: GROUPS = build demo
demo: configured ## train Fashion-MNIST in float32, mixed_float16, mixed_bfloat16 and auto, compare, and write a page of it
	@setup/timed build cmake --build --preset $(PRESET) --target mp-run
	@mkdir -p build/demo
	$(BUILD)/bin/mp-run compare examples/fashion_mnist_mlp.mlir --data=$(FASHION_MNIST) \
	  --variants=float32,mixed_float16:loss-scale=dynamic:init-scale=16777216:growth-interval=200,mixed_bfloat16,auto \
	  --optimizer=adam --learning-rate=0.001 --batch-size=128 --epochs=8 --json=build/demo/compare.json
	$(BUILD)/bin/mp-run report build/demo/compare.json -o build/demo/report.html
	@echo "build/demo/report.html shows it in a browser"

check: GROUPS = build check python
check: .venv/wheels configured ## build, and run every test but costly suites whose rooms have no change and tests that have no turn
	@test/affected.py --left-out sanitized > /dev/null || $(MAKE) --no-print-directory sanitized
	@setup/timed build cmake --build --preset $(PRESET)
	@test/run-suites $(SUITES) $(AFFECTED)

check-full: GROUPS = build check python lint fresh-systems
check-full: .venv/wheels configured sanitized ## run every test with the long forms, pack the bundle, install the wheels of a clone here and in fresh systems, lint every file, and see that tests notice mutants
	@setup/timed build cmake --build --preset $(PRESET)
	@test/Lint/lint $(BUILD) --all
	@test/run-suites $(SUITES) --long
	@setup/timed gpu-bundle $(MAKE) --no-print-directory gpu-bundle
	@setup/timed install-clone test/Python/install-clone build/install-clone
	@setup/timed fresh-systems test/Python/fresh-systems build/install-clone/clone/dist build/fresh-systems
	@test/Mutants/mutants $(BUILD)
	@test/Mutants/mutants $(BUILD) --operators

# PART=1/4 packs each fourth case.
gpu-bundle: GROUPS = build check
gpu-bundle: PART = 1/1
gpu-bundle: configured ## pack tests and benchmarks for a machine with a GPU into build/gpu-bundle
	@setup/timed build cmake --build --preset $(PRESET) --target mp-exec mp-run write-tiny-model write-op-cases write-gemm-grid
	@test/GPU/make-bundle $(BUILD) build/gpu-bundle --part=$(PART)

# COMPARE takes flags of compare.py: make benchmark COMPARE='--quick --compile'.
benchmark: GROUPS = build benchmark
benchmark: build/benchmark-venv/peers configured ## compare with PyTorch, OpenBLAS and ONNX Runtime on this CPU
	@setup/timed build cmake --build --preset $(PRESET) --target mp-run mp-exec HalfstepRuntime
	@mkdir -p build/benchmark
	@build/benchmark-venv/bin/python benchmarks/cpu/compare.py $(BUILD) --table=build/benchmark/cpu.md --json=build/benchmark/cpu.json $(COMPARE)

lint: GROUPS = build lint python
lint: .venv/wheels configured ## clang-format, clang-tidy, g++ 12 and mypy on what differs from HEAD~1 (BASE=COMMIT for another)
	@setup/timed build cmake --build --preset $(PRESET)
	@test/Lint/lint $(BUILD) --base=$(BASE)

format: GROUPS = lint
format: installed ## clang-format every C++ file
	git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format-22 -i

docs: GROUPS = build python
docs: .venv/wheels configured ## write the reference of ops, passes, interfaces and the Python package to build/PRESET/docs, and ops.md and imported-ops.md of docs/
	@cmake --build --preset $(PRESET) --target docs python-package
	@for page in imported-ops python-api; do \
	  PYTHONPATH=$(BUILD)/python .venv/bin/python docs/write-$$page.py > $(BUILD)/docs/$$page.md || exit 1; done
	@cp $(BUILD)/docs/ops.md $(BUILD)/docs/imported-ops.md docs/

clean: ## remove build/, .venv/ and dist/
	rm -rf build .venv dist

# Installs the groups of the target that asks.
installed:
	@setup/timed install setup/install $(GROUPS)

# Every time: what was just installed must be found, and it takes a second.
configured: installed
	@cmake --preset $(PRESET) >/dev/null

# What reads data sets and checkpoints runs its tests under the sanitizers, too; it has no LLVM in it and builds fast.
sanitized: installed
	@cmake --preset asan >/dev/null
	@setup/timed sanitized-build cmake --build --preset asan --target RuntimeTests DevicesTests CUDATests TrainingTests

# What Python needs beyond this environment comes from Debian, too: one source, nothing to download twice.
.venv: | installed
	/usr/bin/python3 -m venv --system-site-packages --without-pip .venv

# The peers of the CPU benchmark, which nothing else uses.
build/benchmark-venv/peers: setup/peers.txt | installed
	@/usr/bin/python3 -m venv --without-pip build/benchmark-venv
	@setup/timed peers /usr/bin/python3 -m pip --python build/benchmark-venv/bin/python install --quiet \
	  --requirement setup/peers.txt
	@touch $@

# Libraries of models, which test/Python/zoo.py imports.
build/benchmark-venv/zoo: setup/zoo.txt build/benchmark-venv/peers | installed
	@setup/timed zoo /usr/bin/python3 -m pip --python build/benchmark-venv/bin/python install --quiet --requirement setup/zoo.txt
	@touch $@

# What Debian does not carry: tools that tests run and that are never redistributed.
.venv/wheels: setup/wheels.txt | .venv
	@setup/timed wheels /usr/bin/python3 -m pip --python .venv/bin/python install --quiet --no-deps --require-hashes \
	  --requirement setup/wheels.txt
	@touch $@

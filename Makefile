# smfit: will this CUDA binary run on that card, and how should it be run?
# Everything is built under $(BUILD). `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# ---- what a user may set -----------------------------------------------------------------------

BUILD ?= build
CC := gcc
OPT ?= -O2 -g
# SAN=address,undefined builds everything with sanitizers; WERROR=1 makes warnings errors.
SAN ?=
WERROR ?=
# NVCC=none builds without kernel images; else the compiler's path, found by scripts/toolkit.
NVCC ?=
# ARCHS="35 50" builds these targets only; fatbin/archs.mk has them all.
ARCHS ?=
# FAMILIES="probe gemm_f32" builds these kernel families only.
FAMILIES ?=
# Kernel images, compiled once for all builds of the host program.
ifeq ($(NVCC),none)
override FATBIN := $(BUILD)/no-images
else
FATBIN ?= build/fatbin
endif
export TOOLKIT ?= build/toolkit

# V=1 shows the commands, -s nothing.
V ?=
Q  = $(if $(V),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo "  $@"; ))

# Makes that are started from here use all processors, unless this one was given its own -j.
JOBS ?= $(shell nproc)
jobs  = --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# ---- flags -------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wformat=2 -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wundef $(if $(WERROR),-Werror)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CPPFLAGS += -D_GNU_SOURCE -Isrc -I.
CFLAGS   += -std=c17 -fPIC $(OPT) $(WARNINGS) $(SANITIZE)
LDFLAGS  += $(SANITIZE)
LIBS     := -larchive -llz4 -lzstd -ljansson -lprotobuf-c -lpthread -ldl -lm

# ---- layers ------------------------------------------------------------------------------------
# One static archive a layer. NEEDS_x is what layer x may use, lowest last; programs and tests link
# those archives only, so that a call across a forbidden border does not even link.

LAYERS := core data image arch cuda probe bench size doctor cli vgpu
NEEDS_core   :=
NEEDS_data   := core
NEEDS_image  := core
NEEDS_arch   := data core
NEEDS_cuda   := data core
NEEDS_probe  := cuda arch image data core
NEEDS_bench  := cuda arch data core
NEEDS_size   := arch data core
NEEDS_doctor := cuda arch image data core
NEEDS_cli    := doctor size bench probe cuda arch image data core
NEEDS_vgpu   := image data core

layer_sources = $(sort $(wildcard src/$(1)/*.c src/$(1)/*.S))
layer_objects = $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(call layer_sources,$(1)))) $(MADE_$(1)))
archives      = $(foreach l,$(1),$(if $(call layer_sources,$(l)),$(BUILD)/lib$(l).a))

# ONNX's own description of its files, as Debian's libonnx-dev has it, made into C.
ONNX_PROTO  ?= /usr/include/onnx/onnx.proto
MADE_size   := made/onnx.pb-c.o

# Layers that look at the embedded images; VARIANT, so that a change between images and NVCC=none links anew.
images        = $(if $(filter probe bench cli,$(1)),$(FATBIN)/images.o $(BUILD)/variant)
link          = $(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

.PHONY: all
all: $(BUILD)/checked runtime ## build/smfit with its kernel images

$(BUILD)/smfit: $(BUILD)/src/main.o $(call archives,cli $(NEEDS_cli)) $(call images,cli)
	$(link) $(LIBS)

$(BUILD)/variant: FORCE
	@mkdir -p $(@D)
	@echo '$(FATBIN)' | cmp -s - $@ || echo '$(FATBIN)' >$@
.PHONY: FORCE
FORCE:

define LAYER_RULE
$(BUILD)/lib$(1).a: $(call layer_objects,$(1))
	$$(Q)rm -f $$@; ar rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call LAYER_RULE,$(l))))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -c -o $@ $<

$(BUILD)/made/onnx.pb-c.c: $(ONNX_PROTO)
	@mkdir -p $(@D)
	$(Q)protoc-c -I$(dir $<) --c_out=$(@D) $<
$(BUILD)/made/onnx.pb-c.o: $(BUILD)/made/onnx.pb-c.c
	$(Q)$(CC) -std=c17 -fPIC $(OPT) $(SANITIZE) -c -o $@ $<
onnx_objects := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/size/onnx*.c))
$(onnx_objects): CPPFLAGS += -isystem $(BUILD)/made
$(onnx_objects): | $(BUILD)/made/onnx.pb-c.c

# The virtual GPU is exact arithmetic (no contraction), vectorised, and ends up in a shared object.
$(BUILD)/src/vgpu/%.o: CFLAGS += -O3 -pthread -ffp-contract=off -fno-math-errno -fno-trapping-math

$(BUILD)/src/data/tables.o: $(wildcard src/data/*.tsv)

# ---- kernel images -----------------------------------------------------------------------------
# kernels/<family>.cu -> PTX -> cubins -> one container per family and toolkit -> images.o.
# fatbin/archs.mk says what is built and why; fatbin/rules turns that into rules.mk with a rule an
# image, for the compilers that scripts/toolkit finds; manifest.tsv lists what came out.

NVCC_FLAGS     := -std=c++14 -allow-unsupported-compiler -Wno-deprecated-gpu-targets
KERNEL_HEADERS := $(wildcard kernels/*.h)

export NVCC FAMILIES
include $(FATBIN)/rules.mk
$(FATBIN)/rules.mk: FORCE
	@fatbin/rules $(FATBIN) $(ARCHS)

# A toolkit's programs come first on PATH, since nvcc takes the first ptxas there, whoever's it is.
with_path   = PATH="$(PATH_$(1)):$$PATH"
# Files are written beside and moved, since builds in several folders share them.
part        = $@.$$$$
done        = && mv $(part) $@ || { rm -f $(part); exit 1; }
# $(1) toolkit  $(2) target  $(3) image id  $(4) "lowest": write the ISA down  $(5) what it must then be
nvcc_ptx    = $(Q)$(call with_path,$(1)) nvcc $(NVCC_FLAGS) -DSMFIT_IMAGE_ID=$(3) -arch=compute_$(2) -ptx -o $(part) $< \
              $(if $(4),&& $(call with_path,$(1)) fatbin/ptx-level sm_$(2) $(part) $(5)) $(done)
ptxas_cubin = $(Q)$(call with_path,$(1)) ptxas -arch=sm_$(2) -o $(part) $< $(done)
fatbinary   = $(Q)$(call with_path,$(1)) fatbinary -64 --compress=false --create=$(part) $(OPTIONS) $(done)

$(FATBIN)/manifest.tsv: $(IMAGES) $(FATBIN)/list fatbin/manifest
	$(Q)fatbin/manifest $(FATBIN) <$(FATBIN)/list >$(part) $(done)

$(FATBIN)/images.o: fatbin/images.S $(FATBIN)/images.inc $(FATBIN)/manifest.tsv $(FATBIN)/left-out $(FATBIN)/toolkits
	$(Q)$(CC) -Wa,-I$(FATBIN) -c -o $(part) $< $(done)

# The program looks into itself: are all of them there?
$(BUILD)/checked: $(BUILD)/smfit $(FATBIN)/manifest.tsv fatbin/check fatbin/bodies
	@fatbin/check $(BUILD)/smfit $(FATBIN)/manifest.tsv
	@fatbin/bodies $(filter %.ptx,$(IMAGES))
	@touch $@

-include fatbin/runtime.mk
.PHONY: runtime
runtime: $(RUNTIME) ## what smfit repro runs beside itself

.PHONY: images
images: $(FATBIN)/images.o ## the kernel images alone, and what is left out
	@echo "images for sm_ $(BUILT) in $(FATBIN)"
	@sed 's/^/left out: /' $(FATBIN)/left-out

ifdef NO_COMPILER
$(FATBIN)/manifest.tsv: no-compiler
.PHONY: no-compiler
no-compiler:
	@echo "no CUDA 11 compiler found: scripts/setup toolkit fetches one, make NVCC=none does without" >&2; exit 1
endif

# ---- the virtual driver ------------------------------------------------------------------------
# A driver library and a management library of the virtual GPU, opened like the real ones by --virtual
# or by whoever puts this folder first; smfit links neither. VGPU_BREAK=sm37-on-35 gets one rule wrong on purpose.

VGPU := $(BUILD)/vgpu/libcuda.so.1 $(BUILD)/vgpu/libnvidia-ml.so.1
VGPU_BREAK ?=
all: $(VGPU)
VGPU_NVML := nvml version config card driver fault log
vgpu_break = $(if $(filter-out sm37-on-35,$(VGPU_BREAK)),$(error VGPU_BREAK knows sm37-on-35 only))$(if $(VGPU_BREAK),-DVGPU_BREAK_SM37_ON_35)
shared = $(Q)mkdir -p $(@D); $(CC) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-Bsymbolic,-z,defs,-z,nodelete \
         -Wl,--version-script=src/vgpu/drv_export.map -o $@ $(filter %.o %.a,$^)

$(BUILD)/vgpu/libcuda.so.1: $(filter-out %/drv_nvml.o,$(call layer_objects,vgpu)) $(call archives,$(NEEDS_vgpu)) src/vgpu/drv_export.map
	$(shared) -llz4 -lzstd -ljansson -lpthread -ldl -lm

$(BUILD)/vgpu/libnvidia-ml.so.1: $(VGPU_NVML:%=$(BUILD)/src/vgpu/drv_%.o) $(call archives,data core) src/vgpu/drv_export.map
	$(shared) -lpthread -lm

$(BUILD)/src/vgpu/drv_rule.o: CPPFLAGS += $(vgpu_break)
$(BUILD)/src/vgpu/drv_rule.o: $(BUILD)/vgpu/break
$(BUILD)/vgpu/break: FORCE
	@mkdir -p $(@D)
	@echo '$(VGPU_BREAK)' | cmp -s - $@ || echo '$(VGPU_BREAK)' >$@

.PHONY: vgpu
vgpu: $(VGPU) ## the virtual GPU's driver library

# ---- tests -------------------------------------------------------------------------------------
# tests/unit/test_<layer>[_<module>].c becomes one program, linked with its layer and what that may use.

UNIT := $(sort $(wildcard tests/unit/test_*.c))
UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT))
test_layer = $(word 2,$(subst _, ,$(basename $(notdir $(1)))))

define UNIT_RULE
$(BUILD)/tests/$(basename $(notdir $(1))): $(BUILD)/$(basename $(1)).o $(call archives,$(2) $(NEEDS_$(2))) $(call images,$(2) $(NEEDS_$(2)))
	@mkdir -p $$(@D)
	$$(link) -lcriterion $$(LIBS)
endef
$(foreach t,$(UNIT),$(eval $(call UNIT_RULE,$(t),$(call test_layer,$(t)))))

include tests/stubs/stubs.mk
# Real drivers for tests, as scripts/setup unpacks them.
export SMFIT_REAL_DRIVERS ?= $(subst $() ,:,$(wildcard $(CURDIR)/build/drivers/*/libcuda.so.1))

.PHONY: unit
unit: $(UNIT_PROGRAMS) ## the unit tests
	@rm -f $(FORMS)
	@SMFIT_FORMS=$(abspath $(FORMS)) SMFIT_VGPU_MANIFEST=$(abspath $(FATBIN))/manifest.tsv scripts/run-tests $(UNIT_PROGRAMS)

# What the tests of the virtual GPU noted, against all PTX that there is.
FORMS := $(BUILD)/tests/forms
.PHONY: opcodes
opcodes: ## every opcode form that nvcc wrote has a test (after the unit tests)
	@scripts/opcodes $(FORMS) $(wildcard $(FATBIN)/*.ptx $(FATBIN)/differential/*.ptx)

# What a user sees: tests/cli/run compares whole runs of the program with recorded output.
.PHONY: cli
cli: $(BUILD)/smfit runtime $(VGPU) ## the program's own output against what is recorded
	@SMFIT_VGPU_MANIFEST=$(abspath $(FATBIN))/manifest.tsv tests/cli/run $(BUILD)

# Programs that are not smfit, on the virtual GPU; SMFIT_FULL=1 for all cards.
.PHONY: test-vgpu
test-vgpu: $(VGPU) ## other programs on the virtual GPU
	@tests/vgpu/run $(BUILD)

# tests/kernels/op_<operation>.c becomes a program that runs all kernels of an operation on one virtual card.
KERNEL_TESTS := $(patsubst tests/kernels/op_%.c,$(BUILD)/tests/kernels/%,$(sort $(wildcard tests/kernels/op_*.c)))

$(KERNEL_TESTS): $(BUILD)/tests/kernels/%: $(BUILD)/tests/kernels/op_%.o $(BUILD)/tests/kernels/kernels.o \
                 $(call archives,bench $(NEEDS_bench)) $(call images,bench)
	$(link) $(LIBS)

.PHONY: test-kernels
test-kernels: $(KERNEL_TESTS) $(VGPU) $(FATBIN)/manifest.tsv ## every kernel on virtual cards, against references; SMFIT_FULL=1 all cases
	@tests/kernels/run $(BUILD) $(FATBIN)

# Kernels with a fault each: the tests must notice.
.PHONY: mutate
mutate: $(KERNEL_TESTS) $(VGPU) $(FATBIN)/manifest.tsv ## kernels made wrong on purpose: do their tests notice?
	@FATBIN=$(abspath $(FATBIN)) NVCC_FLAGS='$(NVCC_FLAGS)' scripts/mutate $(BUILD)

# tests/fuzz/fuzz_<layer>_<what>.c is a libFuzzer target; here it is linked with a driver that gives it
# the files of its corpus, and under FUZZER=1 (clang) with libFuzzer.
FUZZER ?=
FUZZ := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(FUZZ))
FUZZ_SECONDS ?= 5

define FUZZ_RULE
$(BUILD)/fuzz/$(basename $(notdir $(1))): $(BUILD)/$(basename $(1)).o $(if $(FUZZER),,$(BUILD)/tests/fuzz/replay.o) $(call archives,$(2) $(NEEDS_$(2)))
	@mkdir -p $$(@D)
	$$(link) $(if $(FUZZER),-fsanitize=fuzzer) $$(LIBS)
endef
$(foreach t,$(FUZZ),$(eval $(call FUZZ_RULE,$(t),$(call test_layer,$(t)))))

.PHONY: fuzz-programs fuzz-replay fuzz
fuzz-programs: $(FUZZ_PROGRAMS)
fuzz-replay: $(FUZZ_PROGRAMS) ## the corpus of each fuzz target, once
	@scripts/fuzz replay $(FUZZ_PROGRAMS)
fuzz: ## new inputs for each fuzz target, FUZZ_SECONDS=5 each (clang)
	@$(MAKE) $(jobs) -s BUILD=$(BUILD)/libfuzzer CC=clang SAN=fuzzer-no-link,address,undefined FUZZER=1 fuzz-programs
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ_PROGRAMS:$(BUILD)/%=$(BUILD)/libfuzzer/%)

# The tests of one build, all of them on what is built.
.PHONY: test-build test test-san test-none test-full
test-build: check-programs
	@scripts/stages unit '$(MAKE) $(jobs) -s unit' corpus '$(MAKE) $(jobs) -s fuzz-replay' $(if $(wildcard tests/cli/run),cli '$(MAKE) $(jobs) -s cli') \
	    vgpu '$(MAKE) $(jobs) -s test-vgpu' kernels '$(MAKE) $(jobs) -s test-kernels' opcodes '$(MAKE) -s opcodes'

test: ## set up, build and test
	@scripts/setup host tests drivers $(if $(filter none,$(NVCC)),,toolkit)
	@$(MAKE) $(jobs) all $(UNIT_PROGRAMS) $(FUZZ_PROGRAMS)
	@scripts/stages tests '$(MAKE) $(jobs) -s test-build' layers 'scripts/layers --self-test && scripts/layers' $(SCRIPT_TESTS) \
	    $(if $(filter none,$(NVCC)),,faults 'scripts/faults $(BUILD)')

# Tests of scripts and of the build itself, each a program that ends with "N passed, N failed".
SCRIPT_TESTS := $(foreach t,$(sort $(wildcard tests/scripts/test_*)),$(notdir $(t)) $(t))

test-san: ## the same tests with address and undefined behaviour sanitizers
	@$(MAKE) $(jobs) -s BUILD=$(BUILD)/san SAN=address,undefined OPT="-O1 -g" test-build
test-none: ## the same tests of a build without images
	@$(MAKE) $(jobs) -s BUILD=$(BUILD)/none NVCC=none test-build
test-full: ## everything, before an issue is closed (up to 90 minutes)
	@scripts/stages test '$(MAKE) $(jobs) test' check '$(MAKE) $(jobs) check' sanitizers '$(MAKE) $(jobs) test-san' no-images '$(MAKE) $(jobs) test-none' \
	    fuzz '$(MAKE) $(jobs) fuzz FUZZ_SECONDS=60' \
	    faults 'scripts/faults $(BUILD) all' \
	    model 'SMFIT_FULL=1 tests/vgpu/run $(BUILD)' \
	    kernels 'SMFIT_FULL=1 tests/kernels/run $(BUILD) $(FATBIN)' mutants '$(MAKE) $(jobs) -s mutate' \
	    sweeps 'SMFIT_FULL=1 TEST_SECONDS=2400 scripts/run-tests $(BUILD)/san/tests/test_image_sweeps'

# ---- checks ------------------------------------------------------------------------------------

# cppcheck: an address of a local that is given away for the length of a call is no fault here, and its
# 2.10 misreads numbers such as 0x1p31f.
CPPCHECK  := cppcheck -q --error-exitcode=1 --enable=warning,performance --inline-suppr --std=c11 \
             --suppress=autoVariables \
             --suppress=incorrectLogicOperator:src/vgpu/op_cvt.h -D_GNU_SOURCE -Isrc -I. \
             '-Djson_array_foreach(array,i,value)=if((i = 0, value = json_array_get(array,i)))'
SCRIPTS   := $(shell grep -lE '^.!.*(bash|/sh)$$' .ci/run scripts/* fatbin/* tests/*/* 2>/dev/null)

# Floors are fatbin/sass-floors. SASS_TABLE=FILE writes the best kernels as a Markdown table.
.PHONY: sass
SASS_TABLE ?= $(BUILD)/sass.md
sass: $(FATBIN)/manifest.tsv ## what the kernels' machine code consists of: registers, spills, occupancy, hottest loop
	@mkdir -p $(BUILD)
	@scripts/sass --tsv $(BUILD)/sass.tsv --markdown $(SASS_TABLE) $(FATBIN)

.PHONY: check check-programs
check-programs: all $(UNIT_PROGRAMS) $(FUZZ_PROGRAMS) $(KERNEL_TESTS)
check: ## warnings of gcc and clang as errors, cppcheck, layers, shellcheck
	@scripts/stages \
	    gcc '$(MAKE) $(jobs) -s BUILD=$(BUILD)/check-gcc WERROR=1 check-programs' \
	    clang '$(MAKE) $(jobs) -s BUILD=$(BUILD)/check-clang CC=clang WERROR=1 check-programs' \
	    $(if $(filter none,$(NVCC)),,sass '$(MAKE) $(jobs) -s sass') \
	    cppcheck "$(CPPCHECK) -j$(JOBS) src" layers scripts/layers shellcheck 'shellcheck -e SC1091 $(SCRIPTS)'

# ---- what people type --------------------------------------------------------------------------

.PHONY: run
run: ## set up, build, and show what this machine's card can run
	@scripts/setup ask host $(if $(filter none,$(NVCC)),,toolkit)
	@YES=1 scripts/setup host
	@$(MAKE) $(jobs) -s NVCC=none
	@scripts/first-look $(BUILD)/smfit
ifneq ($(NVCC),none)
	@if YES=1 scripts/setup toolkit; then \
	    new=$$(scripts/toolkit new) && new=", and five more with CUDA $${new%% *} for newer cards"; \
	    echo "building the kernel images (two to three minutes on two cores$$new)"; $(MAKE) $(jobs) -s && $(BUILD)/smfit inspect $(BUILD)/smfit; \
	else \
	    echo "no CUDA compiler to be had here: $(BUILD)/smfit is without kernel images"; \
	fi
endif

.PHONY: bench
bench: all ## speed and memory against their limits (BENCH_DIR=DIR: large inputs, see scripts/bench)
	@scripts/bench $(BUILD)

.PHONY: bench-cpu
bench-cpu: $(call archives,bench core) ## the CPU baselines of smfit bench against OpenBLAS and oneDNN themselves
	@scripts/bench-cpu $(BUILD)

.PHONY: timings
timings: ## a build from nothing in build/timings, and where its time went
	@rm -rf $(BUILD)/timings; mkdir -p $(BUILD)/timings
	@$(MAKE) $(jobs) -s BUILD=$(BUILD)/timings FATBIN=$(BUILD)/timings/fatbin TIMINGS=$(CURDIR)/$(BUILD)/timings/log check-programs
	@TIMINGS=$(BUILD)/timings/log scripts/timings
ifdef TIMINGS
export TIMINGS
SHELL = scripts/timings
.SHELLFLAGS = --shell $@ -eu -o pipefail -c
endif

.PHONY: dist
dist: ## a source archive of the last commit
	@mkdir -p $(BUILD)
	git archive --prefix=smfit/ -o $(BUILD)/smfit.tar.gz HEAD

.PHONY: clean
clean: ## removes what was built; the CUDA compiler stays
	@[ "$(BUILD)" = build ] || [ -z "$$(ls -A $(BUILD) 2>/dev/null | grep -vx no-images)" ] || [ -e $(BUILD)/variant ] || \
	    { echo "clean: '$(BUILD)' is no folder of a build" >&2; exit 1; }
	@find $(BUILD) -mindepth 1 -maxdepth 1 ! -name 'toolkit*' ! -name drivers -exec rm -rf {} + 2>/dev/null || true

.PHONY: help
help: ## this text
	@echo "make TARGET [NAME=VALUE]..."
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16
	@echo "values: NVCC=none (no images)  ARCHS=\"35 50\"  FAMILIES=\"probe\"  CC=clang  SAN=address,undefined  WERROR=1  V=1  BUILD=$(BUILD)"

-include $(wildcard $(BUILD)/src/*.d $(BUILD)/src/*/*.d $(BUILD)/tests/*/*.d)

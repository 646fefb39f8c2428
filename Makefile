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
# Kernel images, compiled once for all builds of the host program.
ifeq ($(NVCC),none)
override FATBIN := $(BUILD)/no-images
else
FATBIN ?= build/fatbin
endif
export TOOLKIT ?= build/toolkit

# V=1 shows the commands.
V ?=
Q  = $(if $(V),,@echo "  $@"; )

# As many jobs as processors, unless -j says otherwise.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

# ---- flags -------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wformat=2 -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wundef $(if $(WERROR),-Werror)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CPPFLAGS += -D_GNU_SOURCE -Isrc -I.
CFLAGS   += -std=c17 $(OPT) $(WARNINGS) $(SANITIZE)
LDFLAGS  += $(SANITIZE)
LIBS     := -larchive -llz4 -lzstd -ljansson -lpthread -ldl -lm

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
layer_objects = $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(call layer_sources,$(1)))))
archives      = $(foreach l,$(1),$(if $(call layer_sources,$(l)),$(BUILD)/lib$(l).a))

# Layers that look at the embedded images; VARIANT, so that a change between images and NVCC=none links anew.
images        = $(if $(filter probe cli,$(1)),$(FATBIN)/images.o $(BUILD)/variant)
link          = $(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

.PHONY: all
all: $(BUILD)/smfit ## build/smfit with its kernel images

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

# The virtual GPU is exact arithmetic (no contraction), vectorised, and ends up in a shared object.
$(BUILD)/src/vgpu/%.o: CFLAGS += -O3 -fPIC -pthread -ffp-contract=off -fno-math-errno -fno-trapping-math

$(BUILD)/src/data/tables.o: $(wildcard src/data/*.tsv)

# ---- kernel images -----------------------------------------------------------------------------
# kernels/<family>.cu -> PTX -> cubins -> one container per family and toolkit -> images.o.
# fatbin/archs.mk says what is built and why; fatbin/rules turns that into rules.mk with a rule an
# image, for the compilers that scripts/toolkit finds; manifest.tsv lists what came out.

NVCC_FLAGS     := -std=c++14 -allow-unsupported-compiler -Wno-deprecated-gpu-targets
KERNEL_HEADERS := $(wildcard kernels/*.h)

export NVCC
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

$(FATBIN)/images.o: fatbin/images.S $(FATBIN)/images.inc $(FATBIN)/manifest.tsv $(FATBIN)/left-out
	$(Q)$(CC) -Wa,-I$(FATBIN) -c -o $(part) $< $(done)

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

.PHONY: unit
unit: $(UNIT_PROGRAMS)
	@scripts/run-tests $(UNIT_PROGRAMS)

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

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

# ---- flags -------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wformat=2 -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wundef $(if $(WERROR),-Werror)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CPPFLAGS += -D_GNU_SOURCE -Isrc -I$(BUILD)/include
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

.PHONY: all
all: $(BUILD)/smfit

$(BUILD)/smfit: $(BUILD)/src/main.o $(call archives,cli $(NEEDS_cli))
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

define LAYER_RULE
$(BUILD)/lib$(1).a: $(call layer_objects,$(1))
	rm -f $$@
	ar rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call LAYER_RULE,$(l))))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -c -o $@ $<

# The virtual GPU is exact arithmetic (no contraction), vectorised, and ends up in a shared object.
$(BUILD)/src/vgpu/%.o: CFLAGS += -O3 -fPIC -pthread -ffp-contract=off -fno-math-errno -fno-trapping-math

$(BUILD)/src/data/tables.o: $(wildcard src/data/*.tsv)

# ---- tests -------------------------------------------------------------------------------------
# tests/unit/test_<layer>[_<module>].c becomes one program, linked with its layer and what that may use.

UNIT := $(sort $(wildcard tests/unit/test_*.c))
UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT))
test_layer = $(word 2,$(subst _, ,$(basename $(notdir $(1)))))

define UNIT_RULE
$(BUILD)/tests/$(basename $(notdir $(1))): $(BUILD)/$(basename $(1)).o $(call archives,$(call test_layer,$(1)) $(NEEDS_$(call test_layer,$(1))))
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) -o $$@ $$^ -lcriterion $$(LIBS)
endef
$(foreach t,$(UNIT),$(eval $(call UNIT_RULE,$(t))))

.PHONY: unit
unit: $(UNIT_PROGRAMS)
	@scripts/run-tests $(UNIT_PROGRAMS)

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# What `smfit repro` runs beside itself, in $(BUILD)/repro: programs with the CUDA runtime, compiled
# for one target that is wrong for most cards, and stand-ins for libraries of the driver.

# RUNTIME_<program> := <nvcc's target> <which cards it is wrong for>
RUNTIME_rt_sm_35      := arch=compute_35,code=sm_35      all but Kepler: the oldest target, no PTX
RUNTIME_rt_sm_37      := arch=compute_37,code=sm_37      3.5: a higher minor version
RUNTIME_rt_sm_52      := arch=compute_52,code=sm_52      5.0: likewise, and so for the next
RUNTIME_rt_sm_61      := arch=compute_61,code=sm_61      6.0
RUNTIME_rt_sm_75      := arch=compute_75,code=sm_75      7.0
RUNTIME_rt_sm_86      := arch=compute_86,code=sm_86      8.0
RUNTIME_rt_sm_90      := arch=compute_90,code=sm_90      Kepler: another major version
RUNTIME_rt_compute_90 := arch=compute_90,code=compute_90 all before Hopper: PTX for a newer card

RUNTIME_PROGRAMS  := $(patsubst RUNTIME_%,%,$(filter RUNTIME_rt_%,$(.VARIABLES)))
RUNTIME_FLAGS     := $(NVCC_FLAGS) -O1 -cudart static -Xlinker -s
STAND_INS         := driver/libcuda.so.1 hide.so broken/libcuda.so.1 no-jit/libnvidia-ptxjitcompiler.so.1

# The programs are compiled once for all builds of smfit and linked from there.
runtime_all := $(STAND_INS)
ifdef PATH_old
runtime_all += $(RUNTIME_PROGRAMS) rt_container
endif
ifdef PATH_new
runtime_all += rt_new
endif
RUNTIME := $(addprefix $(BUILD)/repro/,$(runtime_all))

$(BUILD)/repro/rt_%: $(FATBIN)/rt_%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(addprefix $(FATBIN)/,$(RUNTIME_PROGRAMS)): $(FATBIN)/rt_%: fatbin/rt_calls.cu fatbin/runtime.mk $(FATBIN)/compiler.old
	$(Q)$(call with_path,old) nvcc $(RUNTIME_FLAGS) -gencode $(firstword $(RUNTIME_rt_$*)) -o $(part) $< $(done)
$(FATBIN)/rt_container: fatbin/rt_container.cu fatbin/runtime.mk $(FATBIN)/compiler.old
	$(Q)$(call with_path,old) nvcc $(RUNTIME_FLAGS) -gencode arch=compute_35,code=sm_35 -o $(part) $< $(done)
# The newest runtime, whose floor today's drivers are below.
$(FATBIN)/rt_new: fatbin/rt_calls.cu fatbin/runtime.mk $(FATBIN)/compiler.new
	$(Q)$(call with_path,new) nvcc $(filter-out -std=%,$(RUNTIME_FLAGS)) -o $(part) $< $(done)

stand_in = @mkdir -p $(@D)
$(BUILD)/repro/driver/libcuda.so.1: fatbin/stand_in_driver.c
	$(stand_in)
	$(Q)$(CC) $(WARNINGS) -shared -fPIC -o $@ $<
$(BUILD)/repro/hide.so: fatbin/stand_in_hide.c
	$(stand_in)
	$(Q)$(CC) $(WARNINGS) -D_GNU_SOURCE -shared -fPIC -o $@ $<
$(BUILD)/repro/no-jit/libnvidia-ptxjitcompiler.so.1: fatbin/stand_in_no_jit.c
	$(stand_in)
	$(Q)$(CC) $(WARNINGS) -shared -fPIC -o $@ $<
# A file of the right name that is no library.
$(BUILD)/repro/broken/libcuda.so.1:
	$(stand_in)
	$(Q)echo 'not a library' >$@

# Libraries that tests load in place of the driver's, in $(BUILD)/tests/stubs.

STUBS := $(addprefix $(BUILD)/tests/stubs/,cuda-9.0/libcuda.so.1 cuda-lacks/libcuda.so.1 libnvidia-ml.so.1)
own_calls := cuInit cuDriverGetVersion cuDeviceGetCount
# Every name of the list as a function, but those that driver.c has itself, and but $(1).
stub_calls = sed -n '/^cu/p' tests/data/cuda90-names.txt | grep -vxE '$(subst $() ,|,$(own_calls) $(1))' | \
             sed 's/.*/int &(void); int &(void) { return 3; }/'
stub_driver = $(Q)mkdir -p $(@D); { cat tests/stubs/driver.c; $(call stub_calls,$(1)); } | \
              $(CC) -shared -fPIC -x c -o $@ -

$(BUILD)/tests/stubs/cuda-9.0/libcuda.so.1: tests/stubs/driver.c tests/data/cuda90-names.txt tests/stubs/stubs.mk
	$(call stub_driver,none)
# A driver that lacks one call which every driver has.
$(BUILD)/tests/stubs/cuda-lacks/libcuda.so.1: tests/stubs/driver.c tests/data/cuda90-names.txt tests/stubs/stubs.mk
	$(call stub_driver,cuLaunchKernel)
$(BUILD)/tests/stubs/libnvidia-ml.so.1: tests/stubs/nvml.c
	$(Q)mkdir -p $(@D); $(CC) -shared -fPIC -o $@ $<

$(BUILD)/tests/test_cuda_driver $(BUILD)/tests/test_cuda_trial $(BUILD)/tests/test_cuda_nvml $(BUILD)/tests/test_probe_state: $(STUBS)

# Libraries that tests load in place of the driver's, in $(BUILD)/tests/stubs.

STUBS := $(addprefix $(BUILD)/tests/stubs/,cuda-9.0/libcuda.so.1 cuda-lacks/libcuda.so.1 libnvidia-ml.so.1)
# cuBLAS and cuDNN: as they are, old, and broken in several ways.
VENDOR_STUBS := $(addprefix $(BUILD)/tests/stubs/,cublas-11/libcublas.so.11 cublas-10/libcublas.so.10 cublas-lacks/libcublas.so.11 \
    cublas-crash/libcublas.so.11 cudnn-7/libcudnn.so.7 cudnn-8/libcudnn.so.8)
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

stub_library = $(Q)mkdir -p $(@D); $(CC) -std=c17 -shared -fPIC $(1) -o $@ $<
$(BUILD)/tests/stubs/cublas-11/libcublas.so.11: tests/stubs/cublas.c
	$(call stub_library)
$(BUILD)/tests/stubs/cublas-10/libcublas.so.10: tests/stubs/cublas.c
	$(call stub_library,-DOLD)
$(BUILD)/tests/stubs/cublas-lacks/libcublas.so.11: tests/stubs/cublas.c
	$(call stub_library,-DLACKS)
$(BUILD)/tests/stubs/cublas-crash/libcublas.so.11: tests/stubs/cublas.c
	$(call stub_library,-DCRASH)
$(BUILD)/tests/stubs/cudnn-7/libcudnn.so.7 $(BUILD)/tests/stubs/cudnn-8/libcudnn.so.8: tests/stubs/cudnn.c
	$(call stub_library)

# A library that needs another.
$(BUILD)/tests/stubs/needs/libbase.so.2:
	$(Q)mkdir -p $(@D); echo 'int base(void); int base(void) { return 1; }' | $(CC) -shared -fPIC -Wl,-soname,$(@F) -x c -o $@ -
$(BUILD)/tests/stubs/needs/libneeds.so.2: $(BUILD)/tests/stubs/needs/libbase.so.2
	$(Q)echo 'int base(void); int needs(void); int needs(void) { return base(); }' | $(CC) -shared -fPIC -x c -o $@ - -x none $<
$(BUILD)/tests/test_core_search: $(BUILD)/tests/stubs/needs/libneeds.so.2

# OpenBLAS as in wheels, new and old, one that ends whoever loads it, and one that miscounts.
BLAS_STUBS := $(addprefix $(BUILD)/tests/stubs/,openblas-scipy/libscipy_openblas64_-1a2b3c4d.so openblas-old/libopenblas-r0-f650aae0.3.3.so \
    openblas-crash/libopenblas.so.0 openblas-wrong/libopenblas.so.0)
$(BUILD)/tests/stubs/openblas-scipy/libscipy_openblas64_-1a2b3c4d.so: tests/stubs/openblas.c
	$(call stub_library,-DBEFORE=scipy_ -DBEHIND=64_ -DINTEGER=int64_t)
$(BUILD)/tests/stubs/openblas-old/libopenblas-r0-f650aae0.3.3.so: tests/stubs/openblas.c
	$(call stub_library,-DBEFORE= -DBEHIND= -DINTEGER=int)
$(BUILD)/tests/stubs/openblas-crash/libopenblas.so.0: tests/stubs/openblas.c
	$(call stub_library,-DBEFORE= -DBEHIND= -DINTEGER=int -DCRASH)
$(BUILD)/tests/stubs/openblas-wrong/libopenblas.so.0: tests/stubs/openblas.c
	$(call stub_library,-DBEFORE= -DBEHIND= -DINTEGER=int -DWRONG=1)

$(BUILD)/tests/test_bench_cpu: $(BLAS_STUBS)
$(BUILD)/tests/test_bench_vendor $(BUILD)/tests/test_bench_vendor_conv: $(VENDOR_STUBS)
# Compared with the header of cuBLAS where the toolkit is unpacked.
$(BUILD)/tests/unit/test_cuda_cublas_types.o: CPPFLAGS += -isystem $(TOOLKIT)/include
$(BUILD)/tests/test_cuda_driver $(BUILD)/tests/test_cuda_trial $(BUILD)/tests/test_cuda_nvml $(BUILD)/tests/test_probe_state: $(STUBS)

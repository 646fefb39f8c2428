# Which targets are built, each with the reason it is there, and which kernel families there are.
# Used by the Makefile. `make ARCHS="35 50"` builds some of the targets; what is left out is said.

# TARGET_<number> := <toolkit> <reason>
# old: CUDA 11.x, container `legacy`. new: CUDA 12.8 and later where one is found, container `new`.
TARGET_35  := old Kepler GK110 and GK208 (GeForce 920M, GT 730, K20, K40): the oldest that CUDA 11 can build
TARGET_37  := old Kepler GK210 (K80): twice the registers of sm_35, whose code it runs too
TARGET_50  := old Maxwell GM107 and GM108 (750 Ti, 940MX, MX130): runs on the later Maxwell cards too
TARGET_52  := old Maxwell GM20x (GTX 9xx, M40, M60): 96 KB of shared memory
TARGET_53  := old Tegra X1 (Jetson Nano): its own only; the first with half-precision arithmetic
TARGET_60  := old Pascal GP100 (P100): half precision at double rate
TARGET_61  := old Pascal GP102 to GP108 (GTX 10xx, P4, P40, MX150): dp4a, half precision at 1/64 rate
TARGET_62  := old Tegra X2: its own only
TARGET_70  := old Volta GV100 (V100, TITAN V): the first tensor instructions
TARGET_72  := old Tegra Xavier: its own only
TARGET_75  := old Turing (RTX 20xx, T4, and GTX 16xx without tensor cores): integer tensor instructions
TARGET_80  := old Ampere GA100 (A100): bf16, tf32, asynchronous copies
TARGET_86  := old Ampere GA10x (RTX 30xx, A10, A40): other limits than 8.0, twice the fp32 rate
TARGET_87  := old Tegra Orin: its own only
TARGET_89  := old Ada (RTX 40xx, L4, L40): the last consumer cards that CUDA 11 can build for
TARGET_90  := old Hopper (H100, H200): the last target of CUDA 11
TARGET_100 := new Blackwell data centre (B100, B200)
TARGET_103 := new Blackwell Ultra (B300)
TARGET_110 := new Tegra Thor; called sm_101 before CUDA 13
TARGET_120 := new Blackwell consumer (RTX 50xx)
TARGET_121 := new Blackwell GB10 (DGX Spark)
# Left out: sm_88 (CUDA 13 builds for it, no public card has it); a and f variants (a kernel here uses
# nothing that needs them, and they run on one card or family only).

# FAMILY_<name> := <number> <lowest target> <PTX ISA> <what it is>; the source is kernels/<name>.cu.
# The PTX that is embedded is that of the lowest target, written down to the lowest ISA that its
# instructions allow; the build stops when that is not the ISA given here, since a higher one takes
# old drivers away. An image's number is <number> * 10000 + target * 10 + 1 for a cubin, 2 for PTX.
FAMILY_probe := 1 35 3.1 says which image ran, and computes what the host can check
FAMILY_gemm_f32 := 10 35 3.1 matrix products in single precision
FAMILY_gemm_f16s := 11 35 3.1 the same, fp16 in memory
FAMILY_gemm_half2 := 12 53 4.2 matrix products in packed half arithmetic
FAMILY_gemm_tc_f16 := 13 70 6.3 matrix products by tensor instructions: fp16
FAMILY_gemm_tc_bf16 := 14 80 7.0 the same, bf16
FAMILY_gemm_tc_tf32 := 15 80 7.0 the same, fp32 rounded to tf32
FAMILY_gemm_dp4a := 16 61 5.0 matrix products of bytes, four at a time
FAMILY_gemm_tc_s8 := 17 72 6.3 matrix products of bytes by tensor instructions
FAMILY_conv_f32 := 20 35 3.1 convolution as implicit GEMM, forward and both backwards
FAMILY_conv_f16s := 21 35 3.1 the same, fp16 in memory
FAMILY_depthwise_f32 := 22 35 3.1 depthwise convolution, forward and both backwards
FAMILY_depthwise_f16s := 23 35 3.1 the same, fp16 in memory
FAMILY_winograd_f32 := 24 35 3.1 transforms of Winograd F(2x2,3x3)
FAMILY_im2col_f32 := 25 35 3.1 the input of a convolution written out as a matrix
FAMILY_layers_f32 := 28 35 3.1 layers between convolutions: bias, batch norm, sums, pooling
FAMILY_layers_f16s := 29 35 3.1 the same, fp16 in memory
FAMILY_ceil_alu := 40 35 3.1 ceilings of multiply-adds in fp32, fp64 and 32-bit integers
FAMILY_ceil_memory := 41 35 3.1 ceilings of device and shared memory and of launches; clocks
FAMILY_ceil_half2 := 42 53 4.2 ceiling of packed half arithmetic
FAMILY_ceil_dp4a := 43 61 5.0 ceiling of the dot product of four bytes
FAMILY_ceil_tc_f16 := 44 70 6.3 ceiling of tensor instructions on fp16
FAMILY_ceil_tc_s8 := 45 72 6.3 ceiling of tensor instructions on bytes
FAMILY_ceil_tc_wide := 46 80 7.0 ceilings of tensor instructions on bf16 and tf32

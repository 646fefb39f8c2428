#include "size/time_constants.h"

/* Every constant is fitted to all published rows together (tests/data/deepbench: three cards, fp32
 * and fp16 with tensor cores) by scripts/fit-time-model, never to a card: each card and precision
 * has one figure of its own, the time of its largest matrix product. scripts/fit-time-model
 * --hold-out fits on all but one of the four and asks for the one left out; the errors of that
 * stand below, and the ranges of all answers are made of them. */
#ifdef TIME_CONSTANTS_FIT
struct time_constants time_constants
#else
const struct time_constants time_constants
#endif
    = {
          /* -- matrix products -- */
          /* Least time of one step along k, of a block that is alone on its multiprocessor: loads
           * from memory, a barrier, and the next step only then. Libraries from Volta on keep
           * several steps under way. */
          .gemm_step_old_ns = 136.2,
          .gemm_step_new_ns = 5.61,
          /* The same of a tile 32 and 16 columns wide, relative to wider ones, and of old libraries
           * with A transposed and more than 32 columns. */
          .gemm_narrow_step = 1.3,
          .gemm_thin_step = 0.3,
          .gemm_transposed_step = 1.187,
          /* What a tile reaches of the best one's speed: 64 rows instead of 128, 32 and 16 columns
           * instead of 64 or 128 (each value loaded from shared memory is used less often). */
          .gemm_low_tile = 0.811,
          .gemm_narrow_tile = 0.879,
          .gemm_thin_tile = 0.0984,
          /* Share of the data sheet's bandwidth that copies reach (clpeak's records: 0.76 to 0.94).
           */
          .gemm_bandwidth = 0.858,
          /* Traffic of partial sums, relative to each being written and read once in fp32. */
          .gemm_split_traffic = 2.94,
          /* Old libraries split only what leaves that many steps to each block. */
          .gemm_split_old_k = 2885,
          /* With A transposed and rows that begin no multiple of 1024 elements apart, memory moves
             that much more. */
          .gemm_pitch_traffic = 0.719,
          /* Maxwell and Pascal, A transposed: the slowdown grows from half of tall_rows to tall_rows, up to
           * this; where rows are a multiple of 1024 apart only the share below of it. */
          .gemm_tall_transposed = 0.79,
          .gemm_tall_rows = 4807,
          .gemm_tall_even_pitch = 0.396,

          /* -- convolutions -- */
          /* A call beside the launch: the library's own kernels before the one that computes. */
          .conv_call_us = 7.166,
          /* As for matrix products. */
          .conv_step_old_ns = 10.56,
          .conv_step_new_ns = 0.793,
          /* Speed relative to the calibrated product's, before the waves below are paid. */
          .conv_speed = 1.069,
          /* A tile of less than 128 filters, and one of less than 128 places. */
          .conv_small_tile = 0.820,
          /* Starting and ending a kernel's blocks, in waves of them. */
          .conv_fill_waves = 2.933,
          .conv_bandwidth = 0.8015,
          /* Winograd's F(2x2, 3x3) in one kernel saves 2.25 of the products at best. */
          .conv_fused_gain = 2.055,
          /* F(4x4, 3x3) through memory: speed of its products, and the share of its transforms'
           * traffic that the second-level cache does not keep away from memory. */
          .conv_transformed_speed = 0.976,
          .conv_transformed_traffic = 0.461,
          /* Gradient of data with strides: work grows with this power of stride_w * stride_h. */
          .conv_stride_waste = 0.475,
          /* Gradient of weights: speed of windows and of 1x1, of tensor cores relative to that, and
             traffic of sums. */
          .conv_weights_speed = 0.932,
          .conv_weights_1x1_speed = 0.848,
          .conv_weights_tensor = 1.695,
          .conv_weights_traffic = 2.384,
      };

/* Held out (results/time-model/held-out.txt), median errors: products 19 % (GTX TITAN X), 26 %
 * (TITAN X Pascal), 8 % (V100, fp32), 10 % (V100, fp16), 12 % over all; convolutions 15 %, 18 %, 27
 * %, 37 %, 23 % over all. The ranges hold 8 of 10 of these times. Without calibration comes how far
 * cards are from the share of their data sheet that time_peak.c takes: 0.92 (M40) to 1.15 (GTX 1080
 * Ti) of it. */
const struct time_spread time_spread_gemm = { 0.67, 1.49 }, time_spread_conv = { 0.57, 1.57 },
                         time_spread_uncalibrated = { 0.87, 1.09 };

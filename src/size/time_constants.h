/* What the time model knows of libraries and cards beyond a card's figures. One table for all cards: none of these
 * belongs to a card. Values and where they are from: time_constants.c. */
#ifndef SIZE_TIME_CONSTANTS_H
#define SIZE_TIME_CONSTANTS_H

/* All members are double, so that scripts/fit-time-model can treat the table as an array; it reads the names here. */
struct time_constants {
    /* matrix products */
    double gemm_step_old_ns;
    double gemm_step_new_ns;
    double gemm_narrow_step;
    double gemm_thin_step;
    double gemm_transposed_step;
    double gemm_low_tile;
    double gemm_narrow_tile;
    double gemm_thin_tile;
    double gemm_bandwidth;
    double gemm_split_traffic;
    double gemm_split_old_k;
    double gemm_pitch_traffic;
    double gemm_tall_transposed;
    double gemm_tall_rows;
    double gemm_tall_even_pitch;
    /* convolutions */
    double conv_call_us;
    double conv_step_old_ns;
    double conv_step_new_ns;
    double conv_speed;
    double conv_small_tile;
    double conv_fill_waves;
    double conv_bandwidth;
    double conv_fused_gain;
    double conv_transformed_speed;
    double conv_transformed_traffic;
    double conv_stride_waste;
    double conv_weights_speed;
    double conv_weights_1x1_speed;
    double conv_weights_tensor;
    double conv_weights_traffic;
};

/* Not fitted: where a ratio of published to predicted time lies for 80 % of the rows, of cards that the fit had not
 * seen. */
struct time_spread {
    double low, high;
};

#ifdef TIME_CONSTANTS_FIT /* the fitting script writes into it */
extern struct time_constants time_constants;
#else
extern const struct time_constants time_constants;
#endif

extern const struct time_spread time_spread_gemm, time_spread_conv, time_spread_uncalibrated;

#endif

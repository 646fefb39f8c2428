#include "vgpu/ptx_ast.h"

static const struct {
    uint16_t word;
    uint8_t size;
    bool is_signed;
    bool is_float;
} types[] = {
    [PTX_VOID] = { PTX_W_NONE, 0, false, false },   [PTX_PRED] = { PTX_W_pred, 0, false, false },
    [PTX_B8] = { PTX_W_b8, 1, false, false },       [PTX_B16] = { PTX_W_b16, 2, false, false },
    [PTX_B32] = { PTX_W_b32, 4, false, false },     [PTX_B64] = { PTX_W_b64, 8, false, false },
    [PTX_B128] = { PTX_W_b128, 16, false, false },  [PTX_U8] = { PTX_W_u8, 1, false, false },
    [PTX_U16] = { PTX_W_u16, 2, false, false },     [PTX_U32] = { PTX_W_u32, 4, false, false },
    [PTX_U64] = { PTX_W_u64, 8, false, false },     [PTX_S8] = { PTX_W_s8, 1, true, false },
    [PTX_S16] = { PTX_W_s16, 2, true, false },      [PTX_S32] = { PTX_W_s32, 4, true, false },
    [PTX_S64] = { PTX_W_s64, 8, true, false },      [PTX_F16] = { PTX_W_f16, 2, true, true },
    [PTX_F16X2] = { PTX_W_f16x2, 4, true, true },   [PTX_BF16] = { PTX_W_bf16, 2, true, true },
    [PTX_BF16X2] = { PTX_W_bf16x2, 4, true, true }, [PTX_TF32] = { PTX_W_tf32, 4, true, true },
    [PTX_F32] = { PTX_W_f32, 4, true, true },       [PTX_F64] = { PTX_W_f64, 8, true, true },
    [PTX_U16X2] = { PTX_W_u16x2, 4, false, false }, [PTX_S16X2] = { PTX_W_s16x2, 4, true, false },
    [PTX_E4M3X2] = { PTX_W_e4m3x2, 2, true, true }, [PTX_E5M2X2] = { PTX_W_e5m2x2, 2, true, true },
    [PTX_B1] = { PTX_W_b1, 0, false, false },       [PTX_U4] = { PTX_W_u4, 0, false, false },
    [PTX_S4] = { PTX_W_s4, 0, true, false },
};

enum ptx_type ptx_type_of(enum ptx_word word)
{
    for (unsigned t = PTX_PRED; word && t < sizeof types / sizeof types[0]; t++)
        if (types[t].word == word)
            return (enum ptx_type)t;
    return PTX_VOID;
}

unsigned ptx_type_size(enum ptx_type type)
{
    return types[type].size;
}

bool ptx_type_signed(enum ptx_type type)
{
    return types[type].is_signed;
}

bool ptx_type_float(enum ptx_type type)
{
    return types[type].is_float;
}

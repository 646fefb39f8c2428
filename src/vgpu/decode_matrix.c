#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"
void decode_wmma(struct decoder *d)
{
    decode_fail(d, "not yet");
}
void decode_mma(struct decoder *d)
{
    decode_fail(d, "not yet");
}
void decode_ldmatrix(struct decoder *d)
{
    decode_fail(d, "not yet");
}
void decode_movmatrix(struct decoder *d)
{
    decode_fail(d, "not yet");
}

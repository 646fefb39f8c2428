/* A case as a worker gets it. The shapes travel as lists of numbers, in the order of their members.
 */
#include <math.h>
#include <string.h>

#include "bench/case.h"
#include "core/json.h"
#include "core/str.h"

json_t *case_json(const struct bench_case *c)
{
    const struct gemm_shape *g = &c->gemm;
    const struct conv_shape *v = &c->conv;
    const struct ceiling_size *s = &c->size;
    json_t *j =
        json_pack("{s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:i}", "kind", (int)c->kind,
                  "engine", (int)c->engine, "precision", (int)c->precision, "name", c->name,
                  "shape", c->shape, "family", c->family, "ceiling", c->ceiling, "net", c->net,
                  "batch", c->batch, "expected_ms", c->expected_ms, "rounds", c->rounds);
    if (!j)
        return NULL;
    json_put(j, "flop", isfinite(c->flop) ? json_real(c->flop) : json_null());
    json_put(j, "bytes", isfinite(c->bytes) ? json_real(c->bytes) : json_null());
    json_put(j, "size",
             json_pack("[I,I,I,I]", (json_int_t)s->blocks, (json_int_t)s->threads,
                       (json_int_t)s->rounds, (json_int_t)s->bytes));
    json_put(j, "gemm",
             json_pack("[i,i,i,i,i,i]", g->m, g->n, g->k, g->trans_a, g->trans_b, g->batch));
    json_put(j, "conv",
             json_pack("[i,i,i,i,i,i,i,i,i,i,i,i,i,i,i]", v->n, v->c, v->h, v->w, v->k, v->r, v->s,
                       v->pad_h, v->pad_w, v->stride_h, v->stride_w, v->dilation_h, v->dilation_w,
                       v->groups, (int)c->pass));
    json_t *layer = json_array();
    for (int i = 0; i < CASE_LAYER_NUMBERS; i++)
        json_array_append_new(layer, json_integer(c->layer[i]));
    json_put(j, "layer", layer);
    return j;
}

static double number_or_nan(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool read_shapes(struct bench_case *c, const json_t *json)
{
    struct gemm_shape *g = &c->gemm;
    struct conv_shape *v = &c->conv;
    int trans_a, trans_b, pass;
    json_int_t size[4];
    json_t *o = (json_t *)json;
    if (json_unpack(o, "{s:[I,I,I,I], s:[i,i,i,i,i,i], s:[i,i,i,i,i,i,i,i,i,i,i,i,i,i,i]}", "size",
                    &size[0], &size[1], &size[2], &size[3], "gemm", &g->m, &g->n, &g->k, &trans_a,
                    &trans_b, &g->batch, "conv", &v->n, &v->c, &v->h, &v->w, &v->k, &v->r, &v->s,
                    &v->pad_h, &v->pad_w, &v->stride_h, &v->stride_w, &v->dilation_h,
                    &v->dilation_w, &v->groups, &pass))
        return false;
    g->trans_a = trans_a;
    g->trans_b = trans_b;
    c->pass = (enum conv_pass)pass;
    for (size_t i = 0; i < CASE_LAYER_NUMBERS; i++)
        c->layer[i] = (int)json_integer_value(json_array_get(json_object_get(json, "layer"), i));
    c->size = (struct ceiling_size){ (unsigned)size[0], (unsigned)size[1], (unsigned)size[2],
                                     (size_t)size[3] };
    return true;
}

int case_parse(struct bench_case *c, const json_t *json, struct err *err)
{
    int kind, engine, precision;
    const char *name, *shape, *family, *ceiling, *net;
    *c = (struct bench_case){ 0 };
    if (json_unpack((json_t *)json, "{s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:F, s:i}", "kind",
                    &kind, "engine", &engine, "precision", &precision, "name", &name, "shape",
                    &shape, "family", &family, "ceiling", &ceiling, "net", &net, "batch", &c->batch,
                    "expected_ms", &c->expected_ms, "rounds", &c->rounds) ||
        !read_shapes(c, json))
        return err_set(err, ERR_FORMAT, "this is no case of a benchmark");
    c->kind = (enum case_kind)kind;
    c->engine = (enum case_engine)engine;
    c->precision = (enum bench_precision)precision;
    str_copy(c->name, sizeof c->name, name);
    str_copy(c->shape, sizeof c->shape, shape);
    str_copy(c->family, sizeof c->family, family);
    str_copy(c->ceiling, sizeof c->ceiling, ceiling);
    str_copy(c->net, sizeof c->net, net);
    c->flop = number_or_nan(json, "flop");
    c->bytes = number_or_nan(json, "bytes");
    return 0;
}

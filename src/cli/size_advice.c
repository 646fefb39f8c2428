/* `smfit size` for people: what to do, and the lines to paste. */
#include <stdio.h>

#include "cli/size_parts.h"

static void print_advice(const struct advice *a)
{
    struct text_arg args[ADVICE_WORDS + 1] = { { NULL, NULL } };
    struct str text = STR_INIT;
    for (size_t i = 0; i < a->word_count; i++)
        args[i] = (struct text_arg){ a->words[i].name, a->words[i].value };
    text_add(&text, a->id, args);
    out_text(OUT_PLAIN, "- ");
    out_hanging(OUT_PLAIN, 2, 2, text.p);
    str_free(&text);
}

/* What torch.cuda.max_memory_allocated() counts: tensors, in blocks of 512 bytes. */
static double allocated(const struct memory_bill *bill)
{
    return bill->items[MEMORY_WEIGHTS].mid + bill->items[MEMORY_GRADIENTS].mid +
           bill->items[MEMORY_OPTIMIZER].mid + bill->items[MEMORY_ACTIVATIONS].mid +
           bill->items[MEMORY_TRANSIENT].mid + bill->items[MEMORY_WORKSPACE].mid +
           bill->items[MEMORY_ROUNDING].low;
}

static void line(const char *text)
{
    out_pad(2);
    out_line(OUT_PLAIN, text);
}

static void linef(const char *fmt, int value)
{
    struct str s = STR_INIT;
    str_addf(&s, "%s = %d", fmt, value);
    line(s.p);
    str_free(&s);
}

static void training_lines(const struct size_view *v, const struct size_mode *m)
{
    int batch = size_view_chosen(m)->batch;
    bool amp = m->ask.memory.precision == PRECISION_AMP;
    linef("batch_size", batch);
    linef("accumulation_steps", advice_steps(v->request->target_batch, batch));
    if (amp)
        line("scaler = torch.cuda.amp.GradScaler()");
    line("for i, (x, y) in enumerate(loader):");
    line(amp ? "    with torch.cuda.amp.autocast():" : "    # no autocast");
    line(amp ? "        loss = criterion(model(x.cuda()), y.cuda()) / accumulation_steps"
             : "    loss = criterion(model(x.cuda()), y.cuda()) / accumulation_steps");
    line(amp ? "    scaler.scale(loss).backward()" : "    loss.backward()");
    line("    if (i + 1) % accumulation_steps == 0:");
    line(amp ? "        scaler.step(optimizer); scaler.update()" : "        optimizer.step()");
    line("        optimizer.zero_grad(set_to_none=True)");
}

static void inference_lines(const struct size_mode *m)
{
    linef("batch_size", size_view_chosen(m)->batch);
    if (m->ask.memory.precision == PRECISION_FP16 ||
        m->ask.memory.precision == PRECISION_FP16_STORAGE)
        line("model.half()  # and x.half()");
    line("model.eval()");
    line(m->ask.memory.precision == PRECISION_AMP
             ? "with torch.no_grad(), torch.cuda.amp.autocast():"
             : "with torch.no_grad():");
    line("    y = model(x.cuda())");
}

static void print_paste(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    struct str bytes = STR_INIT;
    size_heading("size.paste");
    if (v->training)
        training_lines(v, m);
    else
        inference_lines(m);
    str_addf(&bytes, "%.0f", allocated(&m->bill) / 1e6);
    size_sentence(OUT_PLAIN, 2, "size.compare", TEXT_ARGS({ "megabytes", bytes.p }));
    line("torch.cuda.reset_peak_memory_stats()  # before the first step");
    line("print(torch.cuda.max_memory_allocated() / 1e6)  # after it");
    str_free(&bytes);
}

void size_advice_print(const struct size_view *v)
{
    if (v->advice.count)
        size_heading("size.advice");
    for (size_t i = 0; i < v->advice.count; i++)
        print_advice(&v->advice.list[i]);
    if (size_view_asked(v)->choice.fits)
        print_paste(v);
}

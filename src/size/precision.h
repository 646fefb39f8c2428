/* What a network is computed in, as the user asks for it. */
#ifndef SIZE_PRECISION_H
#define SIZE_PRECISION_H

#include <stdbool.h>

enum precision {
    PRECISION_FP32,
    PRECISION_FP16_STORAGE, /* activations and a copy of the weights in fp16, fp32 arithmetic */
    PRECISION_FP16,         /* all in fp16, packed half arithmetic */
    PRECISION_AMP,          /* a framework's mixed precision: fp16 where it is safe, tensor cores if any */
    PRECISION_INT8,         /* inference alone */
    PRECISION_COUNT
};

/* "fp32", "fp16-storage", "fp16", "amp", "int8" */
const char *precision_name(enum precision precision);
/* -1: no such name. */
int precision_find(const char *name);

/* Bytes a number of activations has; of weights as the optimizer keeps them (training), of a second copy
 * of them that the arithmetic reads (training; 0: none), and of weights in inference. */
double precision_activation_bytes(enum precision precision);
double precision_master_bytes(enum precision precision);
double precision_copy_bytes(enum precision precision);
double precision_weight_bytes(enum precision precision);
bool precision_trains(enum precision precision);

#endif

## needs images
$ smfit --virtual 920m size --net lenet5 --infer --measure --sysroot notebook470 | sed -n '/^simulated/,/^$/p' | sed 's/[0-9.]* MiB/N MiB/; s/[0-9]* times/N times/; s/[0-9]* %/N %/'
simulated: N times of layers on a virtual card, whose clock is a model; N % of the time at this
batch rests on them
the batch came out the same in a fresh round
N MiB were taken from the device for a trial, as this batch needs them


$ SMFIT_VGPU_FAULT=cuMemAlloc=2 smfit --virtual 920m size --net lenet5 --infer --measure | sed -n '/does not fit at/s/:.*//p; /^a layer/p; s/^[0-9]* of [0-9]* measurements/N of N measurements/p'
does not fit at batch 1
a layer ran out of memory at batch 1; only smaller batches are considered
N of N measurements of layers failed; the model stands in for them

$ SMFIT_VGPU_FAULT=less-memory=1700000000 smfit --virtual 920m size --net lenet5 --infer --measure | grep -c 'does not fit at batch 1'
1

$ SMFIT_VGPU_FAULT=launch=700 smfit --virtual 920m size --net lenet5 --infer --measure | sed -n 's/^[0-9]* of [0-9]* measurements/N of N measurements/p; /not confirmed/p'
the batch was not confirmed by a fresh round
N of N measurements of layers failed; the model stands in for them

$ SMFIT_VGPU_FAULT=cuMemGetInfo=999 smfit --virtual 920m size --net lenet5 --infer --measure
2> smfit: the device's memory could not be asked for: cuMemGetInfo failed with error 999 (CUDA_ERROR_UNKNOWN: unknown error); exit status 1
[1]

$ SMFIT_VGPU_FAULT=cuInit=100 smfit --virtual 920m size --net lenet5 --infer --measure
2> smfit: nothing to measure on: the driver did not start: cuInit failed with error 100 (CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected)
[1]

$ smfit size --net lenet5 --measure --assume 920m
2> smfit: nothing can be measured on an assumed card; --virtual simulates one
[2]

## a card that gets hot says so, also in the middle
$ SMFIT_VGPU_FAULT=throttle=50,nvml-full smfit --virtual 920m size --net lenet5 --infer --measure | grep '^the clock fell' | sed 's/[0-9]* of [0-9]*/N of N/'
the clock fell during N of N measurements: the card is throttled, and the ranges are wider for it

$ SMFIT_VGPU_FAULT=throttle=50@8 smfit --virtual 920m size --net lenet5 --infer --measure | grep -c '^inference: batch .*simulated'
1

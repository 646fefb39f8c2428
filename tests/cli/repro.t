## needs images: the errors on purpose, on virtual cards
$ smfit repro
  no-image             209          a program with code for other cards only
  other-major          209          SASS of another major version
  higher-minor         209          SASS of the same major version, but a higher minor one
  ptx-newer-card       218/209      PTX for a newer card
  ptx-newer-driver     218/222      PTX that is newer than the driver
  ptx-broken           218          PTX that the driver's compiler does not understand
  not-an-image         200          bytes that are no kernel image
  ptx-90a              218/222/209  PTX for compute_90a on another card
  cubin-newer-toolkit  200          a cubin of a newer CUDA than the driver
  zstd-old-driver      200          an image packed with zstd, which the driver cannot unpack
  kernel-missing       500          a kernel name that the loaded image does not have
  kernel-empty         0            a kernel whose body is compiled out for this architecture
  no-jit-library       221          the driver's PTX compiler is missing
  driver-too-old       35           a driver that the CUDA runtime refuses, or none
  driver-too-new       100          a driver that has dropped the card
  mixed-gpus           209          two cards, and an image for one of them
  lazy-loading         218          one container that does not load, at start-up or at its first kernel
  sticky-error         700          a fault after which every call fails, and one after which none does
  out-of-memory        2            an allocation that is larger than what is free
  launch-timeout       702          a launch that the display's watchdog ends

$ smfit repro no-imag
2> smfit: no case 'no-imag'; did you mean 'no-image'?
[2]

$ smfit repro zzzzzzzzzzzz
2> smfit: no case 'zzzzzzzzzzzz'; 'smfit repro' lists them
[2]

$ smfit repro --all no-image
2> smfit: '--all' and a case exclude each other
[2]

$ smfit --virtual 920m -q repro --all
NVIDIA GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   driver 470.256.02

  no-image             209      as expected, cure shown
  other-major          209      as expected, cure shown
  higher-minor         209      as expected, cure shown
  ptx-newer-card       218/209  as expected, cure shown
  ptx-newer-driver     222      as expected, cure shown
  ptx-broken           218      as expected, cure shown
  not-an-image         200      as expected, cure shown
  ptx-90a              222/209  as expected, cure shown
  cubin-newer-toolkit  200      as expected, cure shown
  zstd-old-driver      200      as expected, cure shown
  kernel-missing       500      as expected, cure shown
  kernel-empty         0        as expected, cure shown
  no-jit-library       221      as expected, cure shown
  driver-too-old       35       as expected, cure shown
  driver-too-new       100      as expected, cure shown
  mixed-gpus                    not provokable here; --virtual k80,940m
  lazy-loading                  not provokable here; --virtual h200
  sticky-error         700      as expected, cure shown
  out-of-memory        2        as expected, cure shown
  launch-timeout       702      as expected, cure shown
18 cases as expected, 0 not, 2 not provokable here
Simulated: this tests the tool, not the rules.

$ smfit --virtual 920m,driver=418 -q repro --all
GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   driver 418

  no-image             209      as expected, cure shown
  other-major          209      as expected, cure shown
  higher-minor         209      as expected, cure shown
  ptx-newer-card       218/209  as expected, cure shown
  ptx-newer-driver     218      as expected, cure shown
  ptx-broken           218      as expected, cure shown
  not-an-image         200      as expected, cure shown
  ptx-90a              218/209  as expected, cure shown
  cubin-newer-toolkit  200      as expected, cure shown
  zstd-old-driver      200      as expected, cure shown
  kernel-missing       500      as expected, cure shown
  kernel-empty         0        as expected, cure shown
  no-jit-library       221      as expected, cure shown
  driver-too-old       35       as expected, cure shown
  driver-too-new       100      as expected, cure shown
  mixed-gpus                    not provokable here; --virtual k80,940m
  lazy-loading                  not provokable here; --virtual h200
  sticky-error         700      as expected, cure shown
  out-of-memory        2        as expected, cure shown
  launch-timeout       702      as expected, cure shown
18 cases as expected, 0 not, 2 not provokable here
Simulated: this tests the tool, not the rules.

$ smfit --virtual h200 -q repro --all
NVIDIA H200 NVL (virtual) (0000:01:00.0)   compute capability 9.0   driver 615

  no-image             209      as expected, cure shown
  other-major          209      as expected, cure shown
  higher-minor                  not provokable here; --virtual 920m
  ptx-newer-card       218/209  as expected, cure shown
  ptx-newer-driver     222      as expected, cure shown
  ptx-broken           218      as expected, cure shown
  not-an-image         200      as expected, cure shown
  ptx-90a                       not provokable here; --virtual 920m
  cubin-newer-toolkit  200      as expected, cure shown
  zstd-old-driver               not provokable here; --virtual h200,driver=535
  kernel-missing       500      as expected, cure shown
  kernel-empty         0        as expected, cure shown
  no-jit-library       221      as expected, cure shown
  driver-too-old       35       as expected, cure shown
  driver-too-new                not provokable here; --virtual 920m
  mixed-gpus                    not provokable here; --virtual k80,940m
  lazy-loading         218      as expected, cure shown
  sticky-error         700      as expected, cure shown
  out-of-memory        2        as expected, cure shown
  launch-timeout                not provokable here; --virtual 920m
14 cases as expected, 0 not, 6 not provokable here
Simulated: this tests the tool, not the rules.

$ smfit --virtual k80,940m -q repro --all
Tesla K80 (virtual) (0000:01:00.0)   compute capability 3.7   driver 470.256.02

  no-image             209      as expected, cure shown
  other-major          209      as expected, cure shown
  higher-minor                  not provokable here; --virtual 920m
  ptx-newer-card       218/209  as expected, cure shown
  ptx-newer-driver     222      as expected, cure shown
  ptx-broken           218      as expected, cure shown
  not-an-image         200      as expected, cure shown
  ptx-90a              222/209  as expected, cure shown
  cubin-newer-toolkit  200      as expected, cure shown
  zstd-old-driver      200      as expected, cure shown
  kernel-missing       500      as expected, cure shown
  kernel-empty         0        as expected, cure shown
  no-jit-library       221      as expected, cure shown
  driver-too-old       35       as expected, cure shown
  driver-too-new       0        as expected, cure shown
  mixed-gpus           209      as expected, cure shown
  lazy-loading                  not provokable here; --virtual h200
  sticky-error         700      as expected, cure shown
  out-of-memory        2        as expected, cure shown
  launch-timeout                not provokable here; --virtual 920m
17 cases as expected, 0 not, 3 not provokable here
Simulated: this tests the tool, not the rules.

## no device: what can be shown without one is
$ smfit --virtual 920m,driver=535 -q repro --all
no CUDA device: driver 535 no longer knows GeForce 920M (10de:1299, virtual); the last that does is
470.256.02 (seen in: --virtual)

  no-image                  not provokable here; --virtual 920m
  other-major               not provokable here; --virtual 920m
  higher-minor              not provokable here; --virtual 920m
  ptx-newer-card            not provokable here; --virtual 920m
  ptx-newer-driver          not provokable here; --virtual 920m
  ptx-broken                not provokable here; --virtual 920m
  not-an-image              not provokable here; --virtual 920m
  ptx-90a                   not provokable here; --virtual 920m
  cubin-newer-toolkit       not provokable here; --virtual 920m
  zstd-old-driver           not provokable here; --virtual 920m
  kernel-missing            not provokable here; --virtual 920m
  kernel-empty              not provokable here; --virtual 920m
  no-jit-library            not provokable here; --virtual 920m
  driver-too-old       35   as expected, cure shown
  driver-too-new       100  as expected, cure shown
  mixed-gpus                not provokable here; --virtual 920m
  lazy-loading              not provokable here; --virtual 920m
  sticky-error              not provokable here; --virtual 920m
  out-of-memory             not provokable here; --virtual 920m
  launch-timeout            not provokable here; --virtual 920m
2 cases as expected, 0 not, 18 not provokable here
Simulated: this tests the tool, not the rules.

$ smfit --virtual 920m repro higher-minor
NVIDIA GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   driver 470.256.02

higher-minor   SASS of the same major version, but a higher minor one
  driver API  fat binary [sm_37]: cuModuleLoadDataEx gives error 209 (CUDA_ERROR_NO_BINARY_FOR_GPU:
              no kernel image is available for execution on the device)
  cudart      cudaFuncGetAttributes: 98 (invalid device function)
              cudaOccupancyMaxActiveBlocksPerMultiprocessor: 98 (invalid device function)
              cudaLaunchKernel: 209 (no kernel image is available for execution on the device)
              documented codes, text from cudart, not run here
  cause       Within a major version SASS runs upward only: 8.0 code on 8.6, not 8.6 code on 8.0. So
              sm_37 (K80) does not run on a 3.5 card, and sm_52, nvcc 11's default, not on a 5.0
              card.
  recognise   The list seems to fit (3.7 for a 3.5 card, 5.2 for a 5.0 one) and it still fails with
              209.
  cure        Build for the lowest minor version that you serve; the higher cards of that major
              version run it too.
  shown       right [sm_35]: cuModuleLoadDataEx gives 0, no error; the kernel ran, its results are
              right

Simulated: this tests the tool, not the rules.

$ smfit --virtual 920m repro ptx-newer-driver
NVIDIA GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   driver 470.256.02

ptx-newer-driver   PTX that is newer than the driver
  driver API  bare PTX [compute_35, PTX 7.5]: cuModuleLoadDataEx gives error 222
              (CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an unsupported
              toolchain.)
              ptxas application ptx input, line 9; fatal   : Unsupported .version 7.5; current
              version is '7.4'
              ptxas fatal   : Ptx assembly aborted due to errors
              fat binary [compute_35, PTX 7.5]: cuModuleLoadDataEx gives error 222
              (CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an unsupported
              toolchain.)
              ptxas application ptx input, line 9; fatal   : Unsupported .version 7.5; current
              version is '7.4'
              ptxas fatal   : Ptx assembly aborted due to errors
  cudart      cudaFuncGetAttributes: 222 (the provided PTX was compiled with an unsupported
              toolchain.) or 98 (invalid device function)
              cudaOccupancyMaxActiveBlocksPerMultiprocessor: 222 (the provided PTX was compiled with
              an unsupported toolchain.) or 98 (invalid device function)
              cudaLaunchKernel: 222 (the provided PTX was compiled with an unsupported toolchain.)
              documented codes, text from cudart, not run here
  cause       PTX carries the version of its language (.version), and a driver knows those up to its
              own CUDA. nvcc writes its newest one whatever the target is, so CUDA 11.8 code (7.8)
              is refused by driver 470 (7.4).
  recognise   Error 222 "the provided PTX was compiled with an unsupported toolchain"; before R450
              it is 218, and only the log's "Unsupported .version" tells it from broken PTX.
  cure        A newer driver, if the card has one; else SASS for the card, or PTX from an older
              toolkit (this program's PTX is written down to 3.1).
  shown       right [compute_35]: cuModuleLoadDataEx gives 0, no error; the kernel ran, its results
              are right

Simulated: this tests the tool, not the rules.

$ smfit --virtual 920m,driver=418 repro ptx-newer-driver
GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   driver 418

ptx-newer-driver   PTX that is newer than the driver
  driver API  bare PTX [compute_35, PTX 6.5]: cuModuleLoadDataEx gives error 218
              (CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed)
              ptxas application ptx input, line 9; fatal   : Unsupported .version 6.5; current
              version is '6.4'
              ptxas fatal   : Ptx assembly aborted due to errors
              fat binary [compute_35, PTX 6.5]: cuModuleLoadDataEx gives error 218
              (CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed)
              ptxas application ptx input, line 9; fatal   : Unsupported .version 6.5; current
              version is '6.4'
              ptxas fatal   : Ptx assembly aborted due to errors
  cudart      cudaFuncGetAttributes: 35 (CUDA driver version is insufficient for CUDA runtime
              version)
              cudaOccupancyMaxActiveBlocksPerMultiprocessor: 35 (CUDA driver version is insufficient
              for CUDA runtime version)
              cudaLaunchKernel: 35 (CUDA driver version is insufficient for CUDA runtime version)
              documented codes, text from cudart, not run here; this cudart (11.8) refuses every
              driver below CUDA 11.0 before it looks at an image
  cause       PTX carries the version of its language (.version), and a driver knows those up to its
              own CUDA. nvcc writes its newest one whatever the target is, so CUDA 11.8 code (7.8)
              is refused by driver 470 (7.4).
  recognise   Error 222 "the provided PTX was compiled with an unsupported toolchain"; before R450
              it is 218, and only the log's "Unsupported .version" tells it from broken PTX.
  cure        A newer driver, if the card has one; else SASS for the card, or PTX from an older
              toolkit (this program's PTX is written down to 3.1).
  shown       right [compute_35]: cuModuleLoadDataEx gives 0, no error; the kernel ran, its results
              are right

Simulated: this tests the tool, not the rules.

$ smfit --virtual 920m repro sticky-error
NVIDIA GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   driver 470.256.02

sticky-error   a fault after which every call fails, and one after which none does
  driver API  an image that is refused: cuModuleLoadDataEx gives error 209
              (CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the
              device)
              after the refusal: cuMemAlloc gives 0, no error
              after the refusal: cuModuleLoadDataEx gives 0, no error
              the launch [sm_35]: cuCtxSynchronize gives error 700 (CUDA_ERROR_ILLEGAL_ADDRESS: an
              illegal memory access was encountered)
              after the fault: cuMemAlloc gives error 700 (CUDA_ERROR_ILLEGAL_ADDRESS: an illegal
              memory access was encountered)
              after the fault: cuCtxSynchronize gives error 700 (CUDA_ERROR_ILLEGAL_ADDRESS: an
              illegal memory access was encountered)
              after the fault: cuMemFree gives error 700 (CUDA_ERROR_ILLEGAL_ADDRESS: an illegal
              memory access was encountered)
  cudart      cudaDeviceSynchronize: 700 (an illegal memory access was encountered)
              cudaFree: 700 (an illegal memory access was encountered)
              documented codes, text from cudart, not run here
  cause       A kernel that touches a wrong address (700) spoils its context: every later call
              returns 700 again, frees and loads included. A refused image (200, 209, 218) spoils
              nothing.
  recognise   Error 700 from a call that cannot have caused it. The first call that failed is the
              one to look at; compute-sanitizer names the kernel.
  cure        Correct the kernel, and start a new process (or reset the context): nothing else
              clears it.
  shown       right [sm_35]: cuModuleLoadDataEx gives 0, no error; the kernel ran, its results are
              right

Simulated: this tests the tool, not the rules.

$ smfit --virtual 920m,driver=535 repro driver-too-new
no CUDA device: driver 535 no longer knows GeForce 920M (10de:1299, virtual); the last that does is
470.256.02 (seen in: --virtual)

driver-too-new   a driver that has dropped the card
  driver API  a driver that does not know the card [driver 495]: cuInit gives error 100
              (CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected)
  cudart      cudaFuncGetAttributes: 100 (no CUDA-capable device is detected)
              cudaOccupancyMaxActiveBlocksPerMultiprocessor: 100 (no CUDA-capable device is
              detected)
              cudaLaunchKernel: 100 (no CUDA-capable device is detected)
              documented codes, text from cudart, not run here
  cause       Each driver branch knows certain cards, and later ones drop the oldest: Kepler ends at
              470, Maxwell, Pascal and Volta at 580. The card is on the bus, the kernel module says
              that it will ignore it, and CUDA sees no device.
  recognise   Error 100 "no CUDA-capable device is detected" right after a driver upgrade; lspci
              shows the card; the kernel log says "will ignore this GPU".
  cure        Go back to the last branch of the card; 'smfit cards NAME' says which it is.
  shown       right [sm_35]: cuModuleLoadDataEx gives 0, no error; the kernel ran, its results are
              right

Simulated: this tests the tool, not the rules.

## what a card cannot show ends with 3
$ smfit --virtual h200 repro launch-timeout
NVIDIA H200 NVL (virtual) (0000:01:00.0)   compute capability 9.0   driver 615

launch-timeout   a launch that the display's watchdog ends
  not here    no display hangs on this card, so nothing ends a long launch. Try: smfit --virtual
              920m repro launch-timeout
  cudart      cudaDeviceSynchronize: 702 (the launch timed out and was terminated)
              documented codes, text from cudart, not run here
  cause       On a card that drives a display the system ends a launch after some seconds (2 s on
              Windows), since the picture stands still meanwhile. The context is spoilt like after
              any fault.
  recognise   Error 702 "the launch timed out and was terminated" with large inputs only, and only
              on the display's card.
  cure        Split the work into launches of 50 ms, or let another card drive the display.

Simulated: this tests the tool, not the rules.
[3]

$ smfit --virtual 920m --json repro higher-minor
{
  "schema": "smfit.repro",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "simulated",
  "driver": "470.256.02",
  "device": {
    "ordinal": 0,
    "name": "NVIDIA GeForce 920M (virtual)",
    "pci_id": "0000:01:00.0",
    "cc": "3.5",
    "memory_bytes": 2147483648,
    "sm_count": 2
  },
  "cases": [
    {
      "name": "higher-minor",
      "status": "as_expected",
      "steps": [
        {
          "role": "fault",
          "path": "container",
          "image": "sm_37",
          "call": "cuModuleLoadDataEx",
          "code": 209,
          "error_name": "CUDA_ERROR_NO_BINARY_FOR_GPU",
          "error_text": "no kernel image is available for execution on the device",
          "log": null,
          "kernel_ran": false,
          "results_right": false,
          "expected": {
            "codes": [
              209
            ],
            "confidence": "documented",
            "source": "CUDA C++ Programming Guide, binary compatibility; pytorch#31319 (sm_37 on 3.5)"
          },
          "as_expected": true
        },
        {
          "role": "cure",
          "path": "cure",
          "image": "sm_35",
          "call": "cuModuleLoadDataEx",
          "code": 0,
          "error_name": "CUDA_SUCCESS",
          "error_text": "no error",
          "log": null,
          "kernel_ran": true,
          "results_right": true,
          "as_expected": true
        }
      ],
      "cudart": {
        "how": "documented",
        "program": "rt_sm_35",
        "note": null,
        "driver_below_floor": false,
        "calls": [
          {
            "call": "cudaFuncGetAttributes",
            "code": 98,
            "text": "invalid device function",
            "alternative": false
          },
          {
            "call": "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
            "code": 98,
            "text": "invalid device function",
            "alternative": false
          },
          {
            "call": "cudaLaunchKernel",
            "code": 209,
            "text": "no kernel image is available for execution on the device",
            "alternative": false
          }
        ]
      },
      "what_id": "repro.higher-minor.what",
      "cause_id": "repro.higher-minor.cause",
      "recognise_id": "repro.higher-minor.recognise",
      "cure_id": "repro.higher-minor.cure"
    }
  ],
  "errors": []
}

$ smfit --virtual 920m --lang zh repro kernel-empty
NVIDIA GeForce 920M (virtual)（0000:01:00.0）  计算能力 3.5  驱动 470.256.02

kernel-empty   函数体在该架构下被编译掉的内核
  驱动 API    函数体为空的 PTX，结果未被写入 [compute_35, { ret; }]: cuLaunchKernel 返回 0，无错误
  cudart      cudaFuncGetAttributes: 0 (no error)
              cudaOccupancyMaxActiveBlocksPerMultiprocessor: 0 (no error)
              cudaLaunchKernel: 0 (no error)
              文档中的错误码，文字取自 cudart，此处未运行
  原因        函数体写在 #if __CUDA_ARCH__ >= 700 中，因此为较低架构编译出了空内核。它能加载、能运
              行，没有任何错误，却什么也不写。
  识别        没有错误，结果却是零、旧值或 NaN。启动前用固定图案填充输出：这里图案仍在。
  解决        为较低架构编写另一条路径，或不为它们构建，让失败明显可见（209）。
  演示        正确 [compute_35]: cuModuleLoadDataEx 返回 0，无错误；内核已运行，结果正确

模拟：这检验的是工具本身，而不是规则。

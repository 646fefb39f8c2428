## a message: what it says, and what would tell its causes apart
$ smfit explain 'RuntimeError: CUDA error: no kernel image is available for execution on the device'
error 209 (no kernel image is available for execution on the device), 48 before CUDA 10.1   CUDA runtime or driver
  > RuntimeError: CUDA error: no kernel image is available for execution on the device
  The file whose kernel was called holds neither a cubin nor PTX that this card can take. In 44 of
  100 public reports that file was not the main library but an extension or another library.
  is_available() being True proves nothing here.

possible causes, the likeliest first
  A1  the library has no code for this card, which is older than what it was built for
      smfit inspect on the main library (torch/lib, libtensorflow) has no image for the card; smfit
      stack lists releases that do
  A3  an extension was built for other architectures
      the main library has code for the card, and smfit inspect on the extension's .so in the
      traceback has none
  A4  it was built from source for other architectures
      the file is your own build: smfit inspect on it shows the list that was really compiled
  A5  a Jetson needs code of its own; desktop code does not run there
      a Jetson: only exactly its own sm_ (5.3, 6.2, 7.2, 8.7, 11.0) counts, code for desktop cards
      does not
  A2  the card is newer than what the library was built for
      smfit inspect on the main library ends below the card, without PTX; smfit stack lists releases
      that reach it
  5 less likely ones; -v shows them

what tells them apart
  Which file: smfit inspect DIR over the whole environment lists, for every file, whether it has
  something for this card. The file that has nothing and holds the kernel in the traceback is the
  one.

  smfit doctor --error TEXT
    the same with this machine's card, driver and packages: names the file at fault and the cure

$ smfit --lang zh explain 804
错误 804（forward compatibility was attempted on non supported HW）   CUDA 运行时或驱动
  > 804
  在不允许使用的显卡上加载了 cuda-compat 软件包中的 libcuda（它仅供数据中心显卡使用）。常见于容器镜
  像；此时 nvidia-smi 显示的 CUDA 版本并不是内核驱动所具有的。

可能的原因，可能性大的在前
  A14 驱动的各部分不匹配，或缺少某一部分
      内核模块与 libcuda 版本不同，或前面有 compat 的 libcuda：smfit doctor；更新后请重启

如何区分
  ldconfig -p | grep libcuda 以及 $LD_LIBRARY_PATH：若带有 'compat' 的路径排在驱动自己的之前，就是
  它。

  smfit doctor --error TEXT
    结合本机的显卡、驱动和软件包：指出出问题的文件和解决办法

## a log, from a file and from standard input
$ printf '\033[31mstep 1\033[0m\r\nGPU0 GeForce GT 740M with CUDA capability sm_35 is not compatible with the current PyTorch installation.\r\nThe current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.\r\nRuntimeError: CUDA error: no kernel image is available for execution on the device\r\n' >train.log

$ smfit explain @train.log
a framework
  > The current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.   (2 times)
  PyTorch's list has nothing for this card. Often the same version for another CUDA has it: a newer
  CUDA for a newer card, an older CUDA for an older one.

error 209 (no kernel image is available for execution on the device), 48 before CUDA 10.1   CUDA runtime or driver
  > RuntimeError: CUDA error: no kernel image is available for execution on the device
  The file whose kernel was called holds neither a cubin nor PTX that this card can take. In 44 of
  100 public reports that file was not the main library but an extension or another library.
  is_available() being True proves nothing here.
  The text names a card of 3.5 and a program for 3.7 to 7.0.

possible causes, the likeliest first
  A1  the library has no code for this card, which is older than what it was built for
      smfit inspect on the main library (torch/lib, libtensorflow) has no image for the card; smfit
      stack lists releases that do
  A5  a Jetson needs code of its own; desktop code does not run there
      a Jetson: only exactly its own sm_ (5.3, 6.2, 7.2, 8.7, 11.0) counts, code for desktop cards
      does not
  A4  it was built from source for other architectures
      the file is your own build: smfit inspect on it shows the list that was really compiled
  A6  several GPUs, and not all of them can run it
      several different cards: it goes away with CUDA_VISIBLE_DEVICES set to the good one alone
  A3  an extension was built for other architectures
      the main library has code for the card, and smfit inspect on the extension's .so in the
      traceback has none
  4 less likely ones; -v shows them

what tells them apart
  Which file: smfit inspect DIR over the whole environment lists, for every file, whether it has
  something for this card. The file that has nothing and holds the kernel in the traceback is the
  one.

  smfit doctor --error @train.log
    the same with this machine's card, driver and packages: names the file at fault and the cure

$ smfit explain - -v <train.log
a framework
  > The current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.   (2 times)
  PyTorch's list has nothing for this card. Often the same version for another CUDA has it: a newer
  CUDA for a newer card, an older CUDA for an older one.
  source: pytorch torch/cuda/__init__.py (documented)

error 209 (no kernel image is available for execution on the device), 48 before CUDA 10.1   CUDA runtime or driver
  > RuntimeError: CUDA error: no kernel image is available for execution on the device
  The file whose kernel was called holds neither a cubin nor PTX that this card can take. In 44 of
  100 public reports that file was not the main library but an extension or another library.
  is_available() being True proves nothing here.
  source: libcuda 535.261.03, cuGetErrorString; causes counted in 100 public reports (measured)
  The text names a card of 3.5 and a program for 3.7 to 7.0.

possible causes, the likeliest first
  A1  the library has no code for this card, which is older than what it was built for
      smfit inspect on the main library (torch/lib, libtensorflow) has no image for the card; smfit
      stack lists releases that do
  A5  a Jetson needs code of its own; desktop code does not run there
      a Jetson: only exactly its own sm_ (5.3, 6.2, 7.2, 8.7, 11.0) counts, code for desktop cards
      does not
  A4  it was built from source for other architectures
      the file is your own build: smfit inspect on it shows the list that was really compiled
  A6  several GPUs, and not all of them can run it
      several different cards: it goes away with CUDA_VISIBLE_DEVICES set to the good one alone
  A3  an extension was built for other architectures
      the main library has code for the card, and smfit inspect on the extension's .so in the
      traceback has none
  A7  the file has the architecture, but not for the kernel that is called
      smfit inspect says that the file runs; look into the kernel: smfit inspect --kernel NAME FILE
  A10 a compiler that is used at run time does not know the card
      the error comes while compiling at run time (NVRTC, Triton, XLA, ptxas): its version against
      smfit archs
  A18 another copy of a CUDA library is loaded than the program expects
      it goes away in a clean shell (env -i, no LD_LIBRARY_PATH); smfit doctor shows two copies
  A14 parts of the driver do not match, or one is missing
      kernel module and libcuda of different versions, or a compat libcuda in front: smfit doctor;
      restart after an update

what tells them apart
  Which file: smfit inspect DIR over the whole environment lists, for every file, whether it has
  something for this card. The file that has nothing and holds the kernel in the traceback is the
  one.

  smfit doctor --error -
    the same with this machine's card, driver and packages: names the file at fault and the cure

$ smfit explain train.log
Nothing in this text is a known error of CUDA or of what uses it.
smfit doctor looks at the machine itself: GPUs, driver, and every package with GPU code.
2> smfit: 'train.log' is a file; to read it: smfit explain @train.log
[3]

## words need no quotes; old and new numbers
$ smfit explain cuda runtime error '(48)' | head -3
error 209 (no kernel image is available for execution on the device), 48 before CUDA 10.1   CUDA runtime or driver
  > cuda runtime error (48)
  Read as the number that the CUDA runtime used before 10.1; it is 209 today.

$ smfit explain 98 | head -3
error 98 (invalid device function), 8 before CUDA 10.1   CUDA runtime or driver
  > 98
  This sounds like a bug and is most often a missing architecture: calls that ask for a kernel's

## not an architecture problem
$ smfit explain 'CUDA error: invalid resource handle' | head -9
error 400 (invalid resource handle)   CUDA runtime or driver
  > CUDA error: invalid resource handle
  Not an architecture problem: a stream, event or library handle of another device or context, or of
  one that was reset; often with several GPUs, or two libraries that both manage the device.

possible causes, the likeliest first
  A19 not a question of architectures
      smfit inspect and smfit probe find nothing wrong: look into the program itself


## misleading: 35 has three causes
$ smfit explain 'CUDA driver version is insufficient for CUDA runtime version'
error 35 (CUDA driver version is insufficient for CUDA runtime version)   CUDA runtime or driver
  > CUDA driver version is insufficient for CUDA runtime version
  Three causes have this one text: the driver is too old for the CUDA runtime inside the program;
  there is no driver; or another or broken libcuda.so.1 stands first on the search path. It may also
  be that the driver cannot be new enough, since the card's last one is older. What CUDA Toolkit is
  installed does not matter.

possible causes, the likeliest first
  A13 the driver is too old for the program
      smfit shows the driver and the CUDA that it knows: less than the program's runtime (smfit
      stack check)
  N2  NVIDIA's driver is not in use
      smfit says that no kernel driver, or nouveau, is bound to the card; in a container: start it
      with --gpus all
  A14 parts of the driver do not match, or one is missing
      kernel module and libcuda of different versions, or a compat libcuda in front: smfit doctor;
      restart after an update
  A15 the driver does not know the card
      smfit cards CARD shows the last driver: the one that is installed is newer (or older than the
      card)

what tells them apart
  cudaDriverGetVersion (or 'CUDA driver version 0' in the message) tells: 0 means that no libcuda
  could be loaded, anything else that it is too old.

  smfit doctor --error TEXT
    the same with this machine's card, driver and packages: names the file at fault and the cure

## unknown, not there, wrong
$ smfit explain 'hello world'
Nothing in this text is a known error of CUDA or of what uses it.
smfit doctor looks at the machine itself: GPUs, driver, and every package with GPU code.
[3]

$ smfit explain @nothing/here
2> smfit: cannot open 'nothing/here': No such file or directory
[1]

$ smfit explain @nothing
2> smfit: cannot read 'nothing': it is a folder
[1]

$ smfit explain
2> smfit: 'explain' needs TEXT|@FILE|-; see 'smfit explain --help'
[2]

$ smfit explain --assume 920m 209
2> smfit: 'explain' has no use for option '--assume'
[2]

$ smfit explain 222 --json
{
  "schema": "smfit.explain",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "input": {
    "source": "words",
    "read_bytes": 3,
    "cut": false
  },
  "known": true,
  "matches": [
    {
      "id": "ptx_toolchain",
      "kind": "cuda",
      "result": {
        "code": 222,
        "name": "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "text": "the provided PTX was compiled with an unsupported toolchain.",
        "before_10_1": null,
        "before_10_1_reason": "not known to have had another number"
      },
      "found_by": "number",
      "old_number": false,
      "count": 1,
      "line": "222",
      "text_id": "explain.ptx_toolchain",
      "causes": [
        "A9"
      ],
      "tell_ids": [
        "tell.jit_log"
      ],
      "source": "libcuda 535.261.03, cuGetErrorString; nvbandwidth#61; numba-cuda#262",
      "confidence": "measured"
    }
  ],
  "named_ccs": {
    "card": null,
    "card_reason": "the text does not say",
    "least": null,
    "least_reason": "the text does not say",
    "most": null,
    "most_reason": "the text does not say"
  },
  "causes": [
    {
      "code": "A9",
      "name": "ptx_newer_than_driver",
      "text_id": "cause.ptx_newer_than_driver",
      "sign_id": "sign.ptx_newer_than_driver"
    }
  ],
  "errors": []
}

$ smfit explain hello --json
{
  "schema": "smfit.explain",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "input": {
    "source": "words",
    "read_bytes": 5,
    "cut": false
  },
  "known": false,
  "matches": [],
  "named_ccs": {
    "card": null,
    "card_reason": "the text does not say",
    "least": null,
    "least_reason": "the text does not say",
    "most": null,
    "most_reason": "the text does not say"
  },
  "causes": [],
  "errors": []
}
[3]

$ smfit explain @gone --json
{
  "schema": "smfit.explain",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "errors": [
    {
      "code": "io",
      "message": "cannot open 'gone': No such file or directory",
      "path": null,
      "offset": null
    }
  ]
}
2> smfit: cannot open 'gone': No such file or directory
[1]

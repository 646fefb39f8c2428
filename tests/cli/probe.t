## needs images: every image of the build on virtual cards, fact beside prediction
$ data/legacy smfit --virtual 920m,driver=390 probe
device 0: GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   2.0 GiB   driver 390
  image                     device 0
  sm_35                     200
  sm_37                     200
  sm_50                     200
  sm_52                     200
  sm_53                     200
  sm_60                     200
  sm_61                     200
  sm_62                     200
  sm_70                     200
  sm_72                     200
  sm_75                     200
  sm_80                     200
  sm_86                     200
  sm_87                     200
  sm_89                     200
  sm_90                     200
  compute_35                runs (JIT)
  whole container 'legacy'  200
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 920m,driver=418 probe
device 0: GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   2.0 GiB   driver 418
  image                     device 0
  sm_35                     200
  sm_37                     200
  sm_50                     200
  sm_52                     200
  sm_53                     200
  sm_60                     200
  sm_61                     200
  sm_62                     200
  sm_70                     200
  sm_72                     200
  sm_75                     200
  sm_80                     200
  sm_86                     200
  sm_87                     200
  sm_89                     200
  sm_90                     200
  compute_35                runs (JIT)
  whole container 'legacy'  200
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 920m,driver=470 probe
device 0: NVIDIA GeForce 920M (virtual) (0000:01:00.0)   compute capability 3.5   2.0 GiB   driver 470
  image                     device 0
  sm_35                     runs
  sm_37                     209
  sm_50                     209
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     209
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_35)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 940m,driver=418 probe
device 0: GeForce 940M (virtual) (0000:01:00.0)   compute capability 5.0   2.0 GiB   driver 418
  image                     device 0
  sm_35                     200
  sm_37                     200
  sm_50                     200
  sm_52                     200
  sm_53                     200
  sm_60                     200
  sm_61                     200
  sm_62                     200
  sm_70                     200
  sm_72                     200
  sm_75                     200
  sm_80                     200
  sm_86                     200
  sm_87                     200
  sm_89                     200
  sm_90                     200
  compute_35                runs (JIT)
  whole container 'legacy'  200
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 940m,driver=470 probe
device 0: NVIDIA GeForce 940M (virtual) (0000:01:00.0)   compute capability 5.0   2.0 GiB   driver 470
  image                     device 0
  sm_35                     209
  sm_37                     209
  sm_50                     runs
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     209
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_50)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 940m,driver=535 probe
device 0: NVIDIA GeForce 940M (virtual) (0000:01:00.0)   compute capability 5.0   2.0 GiB   driver 535
  image                     device 0
  sm_35                     209
  sm_37                     209
  sm_50                     runs
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     209
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_50)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 940m,driver=580 probe
device 0: NVIDIA GeForce 940M (virtual) (0000:01:00.0)   compute capability 5.0   2.0 GiB   driver 580
  image                     device 0
  sm_35                     209
  sm_37                     209
  sm_50                     runs
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     209
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_50)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual k80,940m probe
device 0: Tesla K80 (virtual) (0000:01:00.0)   compute capability 3.7   12.0 GiB   driver 470.256.02
device 1: NVIDIA GeForce 940M (virtual) (0000:02:00.0)   compute capability 5.0   2.0 GiB   driver 470.256.02
  image                     device 0      device 1
  sm_35                     runs          209
  sm_37                     runs          209
  sm_50                     209           runs
  sm_52                     209           209
  sm_53                     209           209
  sm_60                     209           209
  sm_61                     209           209
  sm_62                     209           209
  sm_70                     209           209
  sm_72                     209           209
  sm_75                     209           209
  sm_80                     209           209
  sm_86                     209           209
  sm_87                     209           209
  sm_89                     209           209
  sm_90                     209           209
  compute_35                runs (JIT)    runs (JIT)
  whole container 'legacy'  runs (sm_37)  runs (sm_50)
device 0: Tesla K80 (virtual) (0000:01:00.0)   compute capability 3.7   12.0 GiB   driver 470.256.02
device 1: NVIDIA GeForce 940M (virtual) (0000:02:00.0)   compute capability 5.0   2.0 GiB   driver 470.256.02
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual h200,driver=535 probe
device 0: NVIDIA H200 NVL (virtual) (0000:01:00.0)   compute capability 9.0   141.0 GiB   driver 535
  image                     device 0
  sm_35                     209
  sm_37                     209
  sm_50                     209
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     runs
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_90)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual h200,driver=580 probe
device 0: NVIDIA H200 NVL (virtual) (0000:01:00.0)   compute capability 9.0   141.0 GiB   driver 580
  image                     device 0
  sm_35                     209
  sm_37                     209
  sm_50                     209
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     runs
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_90)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 920m,driver=535 probe
no CUDA device: driver 535 no longer knows GeForce 920M (10de:1299, virtual); the last that does is
470.256.02 (seen in: --virtual)
[3]

$ data/legacy smfit --virtual h200,driver=470 probe
no CUDA device: driver 470 does not know H200 NVL (10de:233b, virtual) yet; the first that does is
520 (seen in: --virtual)
[3]

$ data/legacy smfit --virtual k80,940m,driver=535 probe
not every card is a CUDA device: Tesla K80 (10de:102d, virtual) is on the bus, and driver 535 does
not count it: --virtual
device 0: NVIDIA GeForce 940M (virtual) (0000:02:00.0)   compute capability 5.0   2.0 GiB   driver 535
  image                     device 0
  sm_35                     209
  sm_37                     209
  sm_50                     runs
  sm_52                     209
  sm_53                     209
  sm_60                     209
  sm_61                     209
  sm_62                     209
  sm_70                     209
  sm_72                     209
  sm_75                     209
  sm_80                     209
  sm_86                     209
  sm_87                     209
  sm_89                     209
  sm_90                     209
  compute_35                runs (JIT)
  whole container 'legacy'  runs (sm_50)
Simulated: this tests the tool, not the rules.

$ data/legacy smfit --virtual 920m,h200 probe
2> smfit: --virtual: no driver knows all of these cards; name one with driver=
[2]

$ data/legacy smfit --virtual sm_35 probe
2> smfit: --virtual: a virtual GPU needs a card, not an architecture
[2]

$ data/legacy smfit --virtual 'gt 730' probe
2> smfit: --virtual: card 'gt 730' is several: GeForce GT 730 (GF108, 2.1), GeForce GT 730 (GK107, 3.0), GeForce GT 730 (GK208B, 3.5); name the chip or the PCI id
[2]

$ smfit --virtual 920m probe --device 3
2> smfit: no device '3'; there is 0 (NVIDIA GeForce 920M (virtual), 0000:01:00.0)
[2]

## a card that --device passes over is a CUDA device all the same
$ smfit --virtual k80,940m --device 1 probe | head -1
device 1: NVIDIA GeForce 940M (virtual) (0000:02:00.0)   compute capability 5.0   2.0 GiB   driver 470.256.02

## every way to name a card leads to its figures, or is refused
$ smfit --virtual 10de:1407 probe | head -1
device 0: NVIDIA GeForce GTX 750 (virtual) (0000:01:00.0)   compute capability 5.2   2.0 GiB   driver 580

$ smfit --virtual '10de:28a1' probe | head -1
device 0: NVIDIA GeForce RTX 4050 Mobile (virtual) (0000:01:00.0)   compute capability 8.9   6.0 GiB   driver 615

$ smfit --virtual '10de:11c7' probe
2> smfit: --virtual: there are no figures for a virtual 'GeForce GTX 750 Ti'
[2]

## Windows has last drivers of its own
$ smfit --virtual 10de:1296,driver=430,os=windows probe
no CUDA device: driver 430 no longer knows GeForce 825M (10de:1296, virtual); the last that does is
425.31 (seen in: --virtual)
[3]

## a kernel that poisons its context costs its own image, not those behind it
$ SMFIT_VGPU_FAULT=launch:1=700 smfit --virtual 920m probe --json | grep -c '"code": 700'
0
[1]

$ SMFIT_VGPU_FAULT=cuDeviceGetCount=100 smfit --virtual 920m probe --device 0
no CUDA device: the driver did not start: cuDeviceGetCount counts none
[3]

## what fails on a virtual card is simulated too
$ SMFIT_VGPU_FAULT=cuInit=999 smfit --virtual 920m probe --json | grep '"basis"'
  "basis": "simulated",

$ SMFIT_VGPU_FAULT=cuDeviceGetName=1 smfit --virtual 920m probe --json 2>/dev/null | grep '"basis"'
  "basis": "simulated",

$ SMFIT_VGPU='GeForce 920M' SMFIT_VGPU_DRIVER=470 SMFIT_VGPU_FAULT=cuInit=999 LD_LIBRARY_PATH="$(dirname "$(command -v smfit)")/vgpu" smfit repro no-image --json | grep '"basis"'
  "basis": "simulated",

## a full disk is said once
$ smfit --virtual 920m probe --json >/dev/full
2> smfit: cannot write the JSON document: No space left on device
[1]

$ smfit --virtual 920m repro --all >/dev/full
2> smfit: cannot write to standard output: No space left on device
[1]

$ data/legacy smfit --virtual 920m probe --lang zh
设备 0：NVIDIA GeForce 920M (virtual)（0000:01:00.0）  计算能力 3.5  2.0 GiB  驱动 470.256.02
  映像              设备 0
  sm_35             可以运行
  sm_37             209
  sm_50             209
  sm_52             209
  sm_53             209
  sm_60             209
  sm_61             209
  sm_62             209
  sm_70             209
  sm_72             209
  sm_75             209
  sm_80             209
  sm_86             209
  sm_87             209
  sm_89             209
  sm_90             209
  compute_35        可以运行（JIT）
  整个容器“legacy”  可以运行 (sm_35)
模拟：这检验的是工具本身，而不是规则。

$ smfit --virtual 920m probe nothing/such
2> smfit: cannot open 'nothing/such': No such file or directory
[1]

$ smfit --virtual 920m probe data
2> smfit: cannot read 'data': it is a folder
[1]

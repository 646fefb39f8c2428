## one file of each kind
$ smfit inspect --sysroot nothing specimens/cuda118.fatbin
specimens/cuda118.fatbin: fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4
2> smfit: no NVIDIA GPU found (PCI scan); --assume CARD, for example --assume 920m, gives a verdict

$ smfit inspect -q --sysroot nothing specimens/cuda130.fatbin
specimens/cuda130.fatbin: fatbin, 1 container, 3 images, 7.3 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_75             1  3.0 KiB                        13.0
  sm_90a            1  3.7 KiB                        13.0
  compute_90a       1    352 B  9.0      zstd

$ smfit inspect -q --sysroot nothing specimens/cuda118.sm_35.cubin specimens/cuda118.compute_35.ptx
specimens/cuda118.sm_35.cubin: cubin, 2.0 KiB
  arch   images    bytes  toolkit
  sm_35       1  2.0 KiB  11.8

specimens/cuda118.compute_35.ptx: PTX, 871 B
  arch        images  bytes  PTX ISA  toolkit
  compute_35       1  871 B  7.8      11.8

total: 2 files, 2 with GPU code, 2 containers, 2 images, 2.9 KiB

$ smfit inspect -q --sysroot nothing specimens/cuda.dll specimens/cuda118.a
specimens/cuda.dll: PE, 2 containers, 6 images, 7.1 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_35             1  2.0 KiB                        11.8
  sm_50             1  2.1 KiB                        11.8
  sm_75             1    830 B           zstd         13.0
  sm_90a            1    953 B           zstd         13.0
  compute_35        1    436 B  7.8      lz4
  compute_90a       1    330 B  9.0      zstd

specimens/cuda118.a: static archive, 3 containers (1 for the device linker), 6 images, 6.5 KiB
  arch        images    bytes  PTX ISA  compression  toolkit  remarks
  sm_35            2  4.1 KiB                        11.8
  sm_35            1    645 B           lz4          11.8     relocatable (-rdc)
  compute_35       3  1.3 KiB  7.8      lz4

total: 2 files, 2 with GPU code, 5 containers, 12 images, 13.6 KiB

$ smfit inspect -q --sysroot nothing specimens/unknown-kinds.fatbin
specimens/unknown-kinds.fatbin: fatbin, 1 container, 3 images, 2.2 KiB
  arch      images    bytes  toolkit  remarks
  sm_35          1  2.0 KiB  11.8
  arch_99        1      8 B           kind 0x10, not known
  arch_130       1      0 B           kind 0x40, not known, unknown flags 0x4000000

$ smfit inspect -q --sysroot nothing specimens/demo-1.0-py3-none-any.whl
specimens/demo-1.0-py3-none-any.whl
demo/lib/libdemo.so: ELF, 1 container, 2 images, 2.6 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  compute_35       1    436 B  7.8      lz4

demo/_C.pyd: PE, 2 containers, 6 images, 7.1 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_35             1  2.0 KiB                        11.8
  sm_50             1  2.1 KiB                        11.8
  sm_75             1    830 B           zstd         13.0
  sm_90a            1    953 B           zstd         13.0
  compute_35        1    436 B  7.8      lz4
  compute_90a       1    330 B  9.0      zstd

specimens/demo-1.0-py3-none-any.whl: 4 files, 2 with GPU code, 3 containers, 8 images, 9.7 KiB

$ smfit inspect -q --sysroot nothing folder
folder/a.fatbin: fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4

folder/sub/b.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4

folder: 3 files, 2 with GPU code, 3 containers, 8 images, 14.2 KiB

$ smfit inspect -q --sysroot nothing -v folder
folder/a.fatbin: fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4

folder/readme.txt: no GPU code (data)

folder/sub/b.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  containers    bytes  holds
           1  4.4 KiB  sm_35 sm_50
           1  5.0 KiB  sm_50 sm_60 compute_60

folder: 3 files, 2 with GPU code, 3 containers, 8 images, 14.2 KiB

$ smfit inspect -q --sysroot nothing folder/readme.txt
folder/readme.txt: no GPU code (data)

$ smfit inspect -q --sysroot nothing - <specimens/cuda118.fatbin
(stdin): fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4

## verdicts: each answer that there is
$ smfit inspect --assume 920m specimens/cuda118.fatbin
specimens/cuda118.fatbin: fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4
  GeForce 920M (3.5), last driver 470.256.02: runs (sm_35)

$ smfit inspect --assume 920m data/partly.so
data/partly.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  GeForce 920M (3.5), last driver 470.256.02: runs in part: 1 of 2 containers have an image for it (sm_35)
      The driver chooses in each container by itself. 1 container has nothing for this card (it
      holds sm_50 sm_60 compute_60). That matters if the kernel that you call is in it: the call
      then ends with error 209 (no kernel image is available for execution on the device). It does
      not matter where a library keeps the kernels of each architecture in containers of their own,
      as cuBLASLt, cuDNN and cuFFT do. smfit inspect --kernel NAME looks only at the containers with
      a kernel of that name; --kernels lists the names.

$ smfit inspect --assume 920m specimens/cuda130.fatbin
specimens/cuda130.fatbin: fatbin, 1 container, 3 images, 7.3 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_75             1  3.0 KiB                        13.0
  sm_90a            1  3.7 KiB                        13.0
  compute_90a       1    352 B  9.0      zstd
  GeForce 920M (3.5), last driver 470.256.02: does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_75 sm_90a compute_90a. A cubin with suffix a runs on its own compute capability
      only. Needs a build with sm_35, or with PTX for compute_35 or lower of ISA 7.4 or lower; no
      driver will change this.
[3]

$ smfit inspect --assume 920m specimens/cuda118.compute_35.ptx
specimens/cuda118.compute_35.ptx: PTX, 871 B
  arch        images  bytes  PTX ISA  toolkit
  compute_35       1  871 B  7.8      11.8
  GeForce 920M (3.5), last driver 470.256.02: does not run: error 222 (the provided PTX was compiled with an unsupported toolchain.)
      It holds compute_35. The PTX is of a newer ISA version than the last driver for this card
      compiles. Needs a build with sm_35, or with PTX for compute_35 or lower of ISA 7.4 or lower;
      no driver will change this.
[3]

$ smfit inspect --assume 920m,driver=535 specimens/cuda118.fatbin
specimens/cuda118.fatbin: fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4
  GeForce 920M (3.5), driver 535: does not run: the driver does not know this card
      The driver is newer than the last one that supports this card. Drivers 304 to 470.256.02 know
      it; with another one, programs do not see the card at all: error 100 (no CUDA-capable device
      is detected).
[3]

$ smfit inspect --assume sm_75 specimens/cuda118.compute_35.ptx
specimens/cuda118.compute_35.ptx: PTX, 871 B
  arch        images  bytes  PTX ISA  toolkit
  compute_35       1  871 B  7.8      11.8
  sm_75 (7.5): runs once the driver has compiled the PTX (compute_35); this makes the first start slow, by minutes for a large library

$ smfit inspect --assume sm_75,driver=470 specimens/cuda118.compute_35.ptx
specimens/cuda118.compute_35.ptx: PTX, 871 B
  arch        images  bytes  PTX ISA  toolkit
  compute_35       1  871 B  7.8      11.8
  sm_75 (7.5), driver 470: does not run: error 222 (the provided PTX was compiled with an unsupported toolchain.)
      The PTX is of a newer ISA version than this driver compiles. Driver 520.61.05 or newer takes
      it.
[3]

$ smfit inspect --assume sm_86,driver=535 specimens/cuda130.fatbin
specimens/cuda130.fatbin: fatbin, 1 container, 3 images, 7.3 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_75             1  3.0 KiB                        13.0
  sm_90a            1  3.7 KiB                        13.0
  compute_90a       1    352 B  9.0      zstd
  sm_86 (8.6), driver 535: does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_75 sm_90a compute_90a. A cubin with suffix a runs on its own compute capability
      only. Needs a build with sm_86, or with PTX for compute_86 or lower of ISA 8.2 or lower; no
      driver will change this.
[3]

$ smfit inspect --assume sm_75,driver=525 specimens/cuda130.sm_90.cubin
specimens/cuda130.sm_90.cubin: cubin, 3.7 KiB
  arch   images    bytes  toolkit
  sm_90       1  3.7 KiB  13.0
  sm_75 (7.5), driver 525: does not run: error 209 (no kernel image is available for execution on the device) or error 200 (device kernel image is invalid)
      It holds sm_90. A cubin runs on its own major version from its minor version on; PTX on its
      target and everything above. Needs a build with sm_75, or with PTX for compute_75 or lower of
      ISA 8.0 or lower; no driver will change this.
[3]

$ smfit inspect --assume sm_90,driver=550 specimens/cuda130.sm_90.cubin
specimens/cuda130.sm_90.cubin: cubin, 3.7 KiB
  arch   images    bytes  toolkit
  sm_90       1  3.7 KiB  13.0
  sm_90 (9.0), driver 550: uncertain; if it fails, then with error 200 (device kernel image is invalid)
      The cubin comes from a newer major version of CUDA than the driver knows; such a driver may
      refuse it. Driver 580.65.06 or newer takes it.

$ smfit inspect --assume sm_120 specimens/cuda118-lto.fatbin
specimens/cuda118-lto.fatbin: fatbin, 1 container, 2 images, 5.7 KiB
  arch    images    bytes  compression  toolkit
  sm_52        1  2.1 KiB               11.8
  lto_52       1  3.4 KiB  lz4
  sm_120 (12.0): does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_52 lto_52. A cubin runs on its own major version from its minor version on; PTX on
      its target and everything above. Needs a build with sm_120, or with PTX for compute_120 or
      lower of ISA 9.4 or lower; no driver will change this.
[3]

$ smfit inspect --assume 8.7 specimens/cuda118-many.fatbin
specimens/cuda118-many.fatbin: fatbin, 1 container, 7 images, 17.4 KiB
  arch   images    bytes  toolkit
  sm_37       1  2.0 KiB  11.8
  sm_52       1  2.1 KiB  11.8
  sm_61       1  2.1 KiB  11.8
  sm_70       1  2.6 KiB  11.8
  sm_75       1  2.6 KiB  11.8
  sm_86       1  2.7 KiB  11.8
  sm_90       1  2.8 KiB  11.8
  sm_87 (8.7): does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_37 sm_52 sm_61 sm_70 sm_75 sm_86 sm_90. Cubins for Tegra run on exactly their own
      compute capability, and Tegra takes no others. Needs a build with sm_87, or with PTX for
      compute_87 or lower of ISA 9.4 or lower; no driver will change this.
[3]

$ smfit inspect --assume 920m --assume sm_60 data/partly.so
data/partly.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  GeForce 920M (3.5), last driver 470.256.02: runs in part: 1 of 2 containers have an image for it (sm_35)
      The driver chooses in each container by itself. 1 container has nothing for this card (it
      holds sm_50 sm_60 compute_60). That matters if the kernel that you call is in it: the call
      then ends with error 209 (no kernel image is available for execution on the device). It does
      not matter where a library keeps the kernels of each architecture in containers of their own,
      as cuBLASLt, cuDNN and cuFFT do. smfit inspect --kernel NAME looks only at the containers with
      a kernel of that name; --kernels lists the names.
  sm_60 (6.0), last driver 580: runs in part: 1 of 2 containers have an image for it (sm_60)
      The driver chooses in each container by itself. 1 container has nothing for this card (it
      holds sm_35 sm_50). That matters if the kernel that you call is in it: the call then ends with
      error 209 (no kernel image is available for execution on the device). It does not matter where
      a library keeps the kernels of each architecture in containers of their own, as cuBLASLt,
      cuDNN and cuFFT do. smfit inspect --kernel NAME looks only at the containers with a kernel of
      that name; --kernels lists the names.

$ smfit inspect --assume sm_75,driver=535 specimens/cuda.dll
specimens/cuda.dll: PE, 2 containers, 6 images, 7.1 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_35             1  2.0 KiB                        11.8
  sm_50             1  2.1 KiB                        11.8
  sm_75             1    830 B           zstd         13.0
  sm_90a            1    953 B           zstd         13.0
  compute_35        1    436 B  7.8      lz4
  compute_90a       1    330 B  9.0      zstd
  sm_75 (7.5), driver 535: runs in part: 1 of 2 containers have an image for it (compute_35)
      Containers that need driver 550.54.14 or newer: 1; until then they end with error 200 (device
      kernel image is invalid).

$ smfit inspect --assume sm_75,driver=560 --lang zh specimens/cuda.dll
specimens/cuda.dll: PE，2 个容器，6 个映像，7.1 KiB
  架构         映像数     大小  PTX ISA  压缩  工具包
  sm_35             1  2.0 KiB                 11.8
  sm_50             1  2.1 KiB                 11.8
  sm_75             1    830 B           zstd  13.0
  sm_90a            1    953 B           zstd  13.0
  compute_35        1    436 B  7.8      lz4
  compute_90a       1    330 B  9.0      zstd
  sm_75 (7.5)，驱动 560：部分可以运行：2 个容器中有 1 个带有它的映像（compute_35）
      无法确定的容器：1 个。该 cubin 来自比驱动所知更新的 CUDA 主版本；这样的驱动可能会拒绝它。

$ smfit inspect --assume sm_75,driver=560 specimens/cuda.dll
specimens/cuda.dll: PE, 2 containers, 6 images, 7.1 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_35             1  2.0 KiB                        11.8
  sm_50             1  2.1 KiB                        11.8
  sm_75             1    830 B           zstd         13.0
  sm_90a            1    953 B           zstd         13.0
  compute_35        1    436 B  7.8      lz4
  compute_90a       1    330 B  9.0      zstd
  sm_75 (7.5), driver 560: runs in part: 1 of 2 containers have an image for it (compute_35)
      Containers of which this is not certain: 1. The cubin comes from a newer major version of CUDA
      than the driver knows; such a driver may refuse it.

$ smfit inspect --sysroot mixed data/partly.so
data/partly.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  Tesla K80 (3.7), driver 535.261.03: does not run: the driver does not know this card
      The driver is newer than the last one that supports this card. Drivers 340 to 470.256.02 know
      it; with another one, programs do not see the card at all: error 100 (no CUDA-capable device
      is detected).
  Tesla K80 (3.7), driver 535.261.03: does not run: the driver does not know this card
      The driver is newer than the last one that supports this card. Drivers 340 to 470.256.02 know
      it; with another one, programs do not see the card at all: error 100 (no CUDA-capable device
      is detected).
  GeForce 940M (5.0), driver 535.261.03: runs (sm_50)
[3]

$ smfit inspect --assume 920m folder/readme.txt
folder/readme.txt: no GPU code (data)

$ smfit inspect --assume 920m --lang zh data/partly.so
data/partly.so: ELF，2 个容器，5 个映像，9.4 KiB
  架构        映像数     大小  PTX ISA  压缩  工具包
  sm_35            1  2.1 KiB                 11.8
  sm_50            2  4.3 KiB                 11.8
  sm_60            1  2.2 KiB                 11.8
  compute_60       1    468 B  7.8      lz4
  GeForce 920M (3.5)，最后的驱动 470.256.02：部分可以运行：2 个容器中有 1 个带有它的映像（sm_35）
      驱动在每个容器中各自选择。有 1 个容器没有适合这块显卡的映像（它含有 sm_50 sm_60 compute_60）。
      只有当您调用的内核就在其中时才有影响：该调用会以错误 209（no kernel image is available for
      execution on the device）结束。如果库把各架构的内核分别放在不同的容器里（cuBLASLt、cuDNN、
      cuFFT 就是这样），则没有影响。用 smfit inspect --kernel 名称 可只看含有该内核的容器；--kernels
      列出名称。

$ smfit inspect --assume 920m --lang zh specimens/cuda130.fatbin
specimens/cuda130.fatbin: fatbin，1 个容器，3 个映像，7.3 KiB
  架构         映像数     大小  PTX ISA  压缩  工具包
  sm_75             1  3.0 KiB                 13.0
  sm_90a            1  3.7 KiB                 13.0
  compute_90a       1    352 B  9.0      zstd
  GeForce 920M (3.5)，最后的驱动 470.256.02：不能运行：错误 209（no kernel image is available for execution on the device）
      它含有 sm_75 sm_90a compute_90a。带后缀 a 的 cubin 只能在它自己的计算能力上运行。需要含有
      sm_35 的构建，或目标不高于 compute_35、ISA 不高于 7.4 的 PTX；换驱动无济于事。
[3]

## what the device linker was given does not count where its product is there
$ smfit inspect --assume sm_50 specimens/cuda118-rdc.so
specimens/cuda118-rdc.so: ELF, 2 containers (1 for the device linker), 3 images, 3.5 KiB
  arch        images    bytes  PTX ISA  compression  toolkit  remarks
  sm_35            1  2.2 KiB                        11.8
  sm_35            1    645 B           lz4          11.8     relocatable (-rdc)
  compute_35       1    436 B  7.8      lz4
  sm_50 (5.0), last driver 580: does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_35. A cubin runs on its own major version from its minor version on; PTX on its
      target and everything above. Needs a build with sm_50, or with PTX for compute_50 or lower of
      ISA 9.0 or lower; no driver will change this.
[3]

$ smfit inspect --assume sm_50 specimens/cuda118-rdc.o
specimens/cuda118-rdc.o: ELF, 1 container (1 for the device linker), 2 images, 1.2 KiB
  arch        images  bytes  PTX ISA  compression  toolkit  remarks
  sm_35            1  645 B           lz4          11.8     relocatable (-rdc)
  compute_35       1  436 B  7.8      lz4
  sm_50 (5.0), last driver 580: runs once the driver has compiled the PTX (compute_35); this makes the first start slow, by minutes for a large library

## containers and kernels
$ smfit inspect --assume 920m --containers data/partly.so
data/partly.so
  container  offset     size  holds
          0  0x2030  4.4 KiB  sm_35 sm_50             runs
          1  0x31d0  5.0 KiB  sm_50 sm_60 compute_60  no image
data/partly.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  GeForce 920M (3.5), last driver 470.256.02: runs in part: 1 of 2 containers have an image for it (sm_35)
      The driver chooses in each container by itself. 1 container has nothing for this card (it
      holds sm_50 sm_60 compute_60). That matters if the kernel that you call is in it: the call
      then ends with error 209 (no kernel image is available for execution on the device). It does
      not matter where a library keeps the kernels of each architecture in containers of their own,
      as cuBLASLt, cuDNN and cuFFT do. smfit inspect --kernel NAME looks only at the containers with
      a kernel of that name; --kernels lists the names.

$ smfit inspect --assume 920m --kernels data/partly.so
data/partly.so
  container  offset     size  holds
          0  0x2030  4.4 KiB  sm_35 sm_50  runs
      sm_35 sm_50  axpy
          1  0x31d0  5.0 KiB  sm_50 sm_60 compute_60  no image
      sm_50 sm_60 compute_60  scale
data/partly.so: ELF, 2 containers, 5 images, 9.4 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.1 KiB                        11.8
  sm_50            2  4.3 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  GeForce 920M (3.5), last driver 470.256.02: runs in part: 1 of 2 containers have an image for it (sm_35)
      The driver chooses in each container by itself. 1 container has nothing for this card (it
      holds sm_50 sm_60 compute_60). That matters if the kernel that you call is in it: the call
      then ends with error 209 (no kernel image is available for execution on the device). It does
      not matter where a library keeps the kernels of each architecture in containers of their own,
      as cuBLASLt, cuDNN and cuFFT do. smfit inspect --kernel NAME looks only at the containers with
      a kernel of that name; --kernels lists the names.

$ smfit inspect --assume 920m --kernel 'ax*' data/partly.so
data/partly.so: ELF, 1 container, 2 images, 4.4 KiB
  arch   images    bytes  toolkit
  sm_35       1  2.1 KiB  11.8
  sm_50       1  2.2 KiB  11.8
  GeForce 920M (3.5), last driver 470.256.02: runs (sm_35)

$ smfit inspect --assume 920m --kernels --kernel cal data/partly.so
data/partly.so
  container  offset     size  holds
          1  0x31d0  5.0 KiB  sm_50 sm_60 compute_60  no image
      sm_50 sm_60 compute_60  scale
data/partly.so: ELF, 1 container, 3 images, 5.0 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_50            1  2.2 KiB                        11.8
  sm_60            1  2.2 KiB                        11.8
  compute_60       1    468 B  7.8      lz4
  GeForce 920M (3.5), last driver 470.256.02: does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_50 sm_60 compute_60. A cubin runs on its own major version from its minor version
      on; PTX on its target and everything above. Needs a build with sm_35, or with PTX for
      compute_35 or lower of ISA 7.4 or lower; no driver will change this.
[3]

$ smfit inspect --assume 920m --kernel nonsense data/partly.so
data/partly.so: no container has a kernel that matches

$ smfit inspect --sysroot nothing -q --containers specimens/cuda118.exe
specimens/cuda118.exe
  container  offset     size  holds
          0  0x2020  2.6 KiB  sm_35 compute_35
          1  0x2a98  1.1 KiB  sm_35             no kernels
specimens/cuda118.exe: ELF, 2 containers (1 without kernels), 3 images, 3.7 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            2  3.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4

## which images stand together
$ smfit inspect -v --assume sm_75 specimens/cuda118-rdc.so specimens/cuda.dll | grep -A4 containers
specimens/cuda118-rdc.so: ELF, 2 containers (1 for the device linker), 3 images, 3.5 KiB
  arch        images    bytes  PTX ISA  compression  toolkit  remarks
  sm_35            1  2.2 KiB                        11.8
  sm_35            1    645 B           lz4          11.8     relocatable (-rdc)
  compute_35       1    436 B  7.8      lz4
  containers    bytes  holds
           1  2.3 KiB  sm_35             no image
           1  1.2 KiB  sm_35 compute_35  for the device linker
  sm_75 (7.5): does not run: error 209 (no kernel image is available for execution on the device)
      It holds sm_35. A cubin runs on its own major version from its minor version on; PTX on its
--
specimens/cuda.dll: PE, 2 containers, 6 images, 7.1 KiB
  arch         images    bytes  PTX ISA  compression  toolkit
  sm_35             1  2.0 KiB                        11.8
  sm_50             1  2.1 KiB                        11.8
  sm_75             1    830 B           zstd         13.0
--
  containers    bytes  holds
           1  4.8 KiB  sm_35 sm_50 compute_35    runs after JIT
           1  2.3 KiB  sm_75 sm_90a compute_90a  runs
  sm_75 (7.5): runs: 1 containers by cubin, 1 by PTX that the driver compiles first (sm_75 compute_35)

total: 2 files, 2 with GPU code, 4 containers, 9 images, 10.6 KiB
  sm_75 (7.5): files that run: 1, do not run: 1

## JSON
$ smfit inspect --assume 920m --json data/partly.so
{
  "schema": "smfit.inspect",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "target": {
    "card": "GeForce 920M",
    "pci_id": "10de:1299",
    "chip": "GK208BM",
    "cc": "3.5",
    "driver": null,
    "driver_reason": "none was given",
    "last_driver": "470.256.02",
    "os": "linux",
    "notebook": true,
    "how": "assumed",
    "slot": null,
    "kernel_driver": null,
    "others": null
  },
  "targets": [
    {
      "card": "GeForce 920M",
      "pci_id": "10de:1299",
      "chip": "GK208BM",
      "cc": "3.5",
      "driver": null,
      "driver_reason": "none was given",
      "last_driver": "470.256.02",
      "os": "linux",
      "notebook": true,
      "how": "assumed",
      "slot": null,
      "kernel_driver": null,
      "others": null
    }
  ],
  "files": [
    {
      "path": "data/partly.so",
      "member": null,
      "kind": "elf",
      "container_count": 2,
      "image_count": 5,
      "bytes": 9632,
      "images": [
        {
          "kind": "cubin",
          "arch": "sm_35",
          "count": 1,
          "bytes": 2152,
          "unpacked_bytes": 2152,
          "compression": "none",
          "ptx_isa": null,
          "toolkit": "11.8",
          "relocatable": false,
          "obfuscated": false,
          "debug": false,
          "address_bits": 64,
          "unknown_flags": null
        },
        {
          "kind": "cubin",
          "arch": "sm_50",
          "count": 2,
          "bytes": 4432,
          "unpacked_bytes": 4432,
          "compression": "none",
          "ptx_isa": null,
          "toolkit": "11.8",
          "relocatable": false,
          "obfuscated": false,
          "debug": false,
          "address_bits": 64,
          "unknown_flags": null
        },
        {
          "kind": "cubin",
          "arch": "sm_60",
          "count": 1,
          "bytes": 2216,
          "unpacked_bytes": 2216,
          "compression": "none",
          "ptx_isa": null,
          "toolkit": "11.8",
          "relocatable": false,
          "obfuscated": false,
          "debug": false,
          "address_bits": 64,
          "unknown_flags": null
        },
        {
          "kind": "ptx",
          "arch": "compute_60",
          "count": 1,
          "bytes": 468,
          "unpacked_bytes": 788,
          "compression": "lz4",
          "ptx_isa": "7.8",
          "toolkit": null,
          "relocatable": false,
          "obfuscated": false,
          "debug": false,
          "address_bits": 64,
          "unknown_flags": null
        }
      ],
      "container_groups": [
        {
          "archs": [
            "sm_35",
            "sm_50"
          ],
          "use": "loaded",
          "count": 1,
          "bytes": 4512
        },
        {
          "archs": [
            "sm_50",
            "sm_60",
            "compute_60"
          ],
          "use": "loaded",
          "count": 1,
          "bytes": 5120
        }
      ]
    }
  ],
  "verdicts": [
    {
      "path": "data/partly.so",
      "member": null,
      "target": 0,
      "verdict": "runs",
      "usable_container_count": 1,
      "other_container_count": 1,
      "text_id": "verdict.partly",
      "text": "runs in part: 1 of 2 containers have an image for it (sm_35)",
      "reason": "The driver chooses in each container by itself. 1 container has nothing for this card (it holds sm_50 sm_60 compute_60). That matters if the kernel that you call is in it: the call then ends with error 209 (no kernel image is available for execution on the device). It does not matter where a library keeps the kernels of each architecture in containers of their own, as cuBLASLt, cuDNN and cuFFT do. smfit inspect --kernel NAME looks only at the containers with a kernel of that name; --kernels lists the names.",
      "parts": [
        {
          "verdict": "runs",
          "container_count": 1,
          "rule": "cubin-exact",
          "rule_text_id": "rule.cubin-exact",
          "confidence": "documented",
          "codes": [
            0
          ],
          "least_driver": null
        },
        {
          "verdict": "no_image",
          "container_count": 1,
          "rule": "ptx-target-above-card",
          "rule_text_id": "rule.ptx-target-above-card",
          "confidence": "measured",
          "codes": [
            209
          ],
          "least_driver": null
        }
      ]
    }
  ],
  "packages": [],
  "total": {
    "file_count": 1,
    "gpu_file_count": 1,
    "container_count": 2,
    "image_count": 5,
    "bytes": 9632,
    "files_by_verdict": [
      {
        "target": 0,
        "whole": 0,
        "partly": 1,
        "none": 0,
        "uncertain": 0
      }
    ]
  },
  "errors": []
}

$ smfit inspect --assume sm_50 --json --kernels data/partly.so | grep -A60 '"containers": \['
      "containers": [
        {
          "index": 0,
          "offset": 8240,
          "bytes": 4512,
          "kind": "fatbin",
          "use": "loaded",
          "place": "registered",
          "section": ".nv_fatbin",
          "archs": [
            "sm_35",
            "sm_50"
          ],
          "verdicts": [
            "runs"
          ],
          "kernels": [
            {
              "name": "axpy",
              "archs": [
                "sm_35",
                "sm_50"
              ]
            }
          ]
        },
        {
          "index": 1,
          "offset": 12752,
          "bytes": 5120,
          "kind": "fatbin",
          "use": "loaded",
          "place": "registered",
          "section": ".nv_fatbin",
          "archs": [
            "sm_50",
            "sm_60",
            "compute_60"
          ],
          "verdicts": [
            "runs"
          ],
          "kernels": [
            {
              "name": "scale",
              "archs": [
                "sm_50",
                "sm_60",
                "compute_60"
              ]
            }
          ]
        }
      ]
    }
  ],
  "verdicts": [
    {
      "path": "data/partly.so",
      "member": null,
      "target": 0,

$ smfit inspect --sysroot nothing --json specimens/demo.tar | grep -E '"(member|path|file_count|container_count)"'
      "path": "specimens/demo.tar",
      "member": "lib/k.fatbin",
      "container_count": 1,
      "path": "specimens/demo.tar",
      "member": "share/k.ptx",
      "container_count": 1,
      "path": "specimens/demo.tar",
      "file_count": 2,
      "container_count": 2,
    "file_count": 2,
    "container_count": 2,
2> smfit: no NVIDIA GPU found (PCI scan); --assume CARD, for example --assume 920m, gives a verdict

## every image unpacked: in the first file all are what their headers state, in the second one is not
$ smfit inspect -q --verify specimens/cuda130-size.fatbin specimens/header-lies.fatbin
specimens/cuda130-size.fatbin: fatbin, 1 container, 3 images, 2.3 KiB
  arch         images  bytes  PTX ISA  compression  toolkit
  sm_75             1  830 B           zstd         13.0
  sm_90a            1  953 B           zstd         13.0
  compute_90a       1  330 B  9.0      zstd
  3 of 3 images unpacked, and each is what its header states

specimens/header-lies.fatbin: fatbin, 1 container, 2 images, 2.3 KiB
  arch        images    bytes  PTX ISA  toolkit
  sm_37            1  2.0 KiB           11.8
  compute_35       1     88 B  3.1
  1 of 2 images unpacked, and each is what its header states

total: 2 files, 2 with GPU code, 2 containers, 5 images, 4.6 KiB
2> smfit: specimens/header-lies.fatbin: at byte 16: header states sm_37, but the image is for sm_35
[1]

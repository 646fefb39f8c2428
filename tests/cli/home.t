## without a card: said, and an example
$ smfit --sysroot nothing
no NVIDIA GPU found (PCI scan)
As an example, a card that is assumed (smfit --assume CARD for another):

GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 470.256.02 (CUDA 11.4)
  often called 5.0 on the web: that is the 920MX
runs here       sm_30 sm_35 cubins of CUDA 11.x and older; PTX up to compute_35, ISA 7.4
last driver     470.256.02 (Linux)
next            smfit inspect --assume 920m FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume 920m                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                       the tables of this card
                smfit archs                              all compute capabilities

$ smfit --sysroot nothing --json
{
  "schema": "smfit.home",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "target": null,
  "targets": [],
  "cards": [],
  "errors": []
}

## the card of the machine
$ smfit --sysroot notebook470
GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 470.256.02 (CUDA 11.4)
  often called 5.0 on the web: that is the 920MX
runs here       sm_30 sm_35 cubins of CUDA 11.x and older; PTX up to compute_35, ISA 7.4
last driver     470.256.02 (Linux)
next            smfit inspect FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack                releases that hold kernels for it, and how to install them
                smfit doctor               the file at fault when a program does not run, and the cure
                smfit probe                which images the driver really loads, and why others fail
                smfit cards [NAME]         the tables of this card
                smfit archs                all compute capabilities

$ smfit --sysroot notebook535
GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 535.261.03 (CUDA 12.2)
  often called 5.0 on the web: that is the 920MX
runs here       nothing: driver 535.261.03 does not know this card, so that programs see no device, error 100 (no CUDA-capable device is detected)
last driver     470.256.02 (Linux)
next            smfit inspect FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack                releases that hold kernels for it, and how to install them
                smfit doctor               the file at fault when a program does not run, and the cure
                smfit probe                which images the driver really loads, and why others fail
                smfit cards [NAME]         the tables of this card
                smfit archs                all compute capabilities
[3]

$ smfit --sysroot nouveau
GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   kernel driver nouveau, not that of NVIDIA
  often called 5.0 on the web: that is the 920MX
runs here       with driver 470.256.02: sm_30 sm_35 cubins of CUDA 11.x and older; PTX up to compute_35, ISA 7.4
last driver     470.256.02 (Linux)
next            smfit inspect FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack                releases that hold kernels for it, and how to install them
                smfit doctor               the file at fault when a program does not run, and the cure
                smfit probe                which images the driver really loads, and why others fail
                smfit cards [NAME]         the tables of this card
                smfit archs                all compute capabilities

$ smfit --sysroot mixed
Tesla K80 (10de:102d, GK210GL)   compute capability 3.7   12 GB   driver 535.261.03 (CUDA 12.2)
runs here       nothing: driver 535.261.03 does not know this card, so that programs see no device, error 100 (no CUDA-capable device is detected)
last driver     470.256.02 (Linux)

Tesla K80 (10de:102d, GK210GL)   compute capability 3.7   12 GB   driver 535.261.03 (CUDA 12.2)
runs here       nothing: driver 535.261.03 does not know this card, so that programs see no device, error 100 (no CUDA-capable device is detected)
last driver     470.256.02 (Linux)

GeForce 940M (10de:1347, GM108M)   compute capability 5.0   2 GB   driver 535.261.03 (CUDA 12.2)
runs here       sm_50 cubins of CUDA 12.x and older; PTX up to compute_50, ISA 8.2
last driver     580 (Linux)
next            smfit inspect FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack                releases that hold kernels for it, and how to install them
                smfit doctor               the file at fault when a program does not run, and the cure
                smfit probe                which images the driver really loads, and why others fail
                smfit cards [NAME]         the tables of this card
                smfit archs                all compute capabilities
[3]

$ smfit --sysroot torch920m
GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 470.256.02 (CUDA 11.4)
  often called 5.0 on the web: that is the 920MX
runs here       sm_30 sm_35 cubins of CUDA 11.x and older; PTX up to compute_35, ISA 7.4
last driver     470.256.02 (Linux)
your PyTorch    torch 1.3.1 in /home/user/env: no kernels for 3.5  ->  error 209 (no kernel image is available for execution on the device)
                torch/lib/libtorch.so has sm_37 sm_50 sm_60 sm_61 sm_70 sm_75 compute_37
next            smfit inspect FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack                releases that hold kernels for it, and how to install them
                smfit doctor               the file at fault when a program does not run, and the cure
                smfit probe                which images the driver really loads, and why others fail
                smfit cards [NAME]         the tables of this card
                smfit archs                all compute capabilities
[3]

$ smfit --sysroot torch920m --lang zh
GeForce 920M (10de:1299, GK208BM)   计算能力 3.5   2 GB   驱动 470.256.02（CUDA 11.4）
  网上常说是 5.0：那是 920MX
可以运行        CUDA 11.x 及更早的 sm_30 sm_35 cubin；PTX 至 compute_35、ISA 7.4
最后的驱动      470.256.02（Linux）
您的 PyTorch    /home/user/env 中的 torch 1.3.1：没有 3.5 的内核  ->  错误 209（no kernel image is available for execution on the device）
                torch/lib/libtorch.so 含有 sm_37 sm_50 sm_60 sm_61 sm_70 sm_75 compute_37
下一步          smfit inspect FILE|DIR...  查看文件或软件包的内容，以及能否在此运行
                smfit stack                含有它的内核的版本，以及如何安装
                smfit doctor               程序不能运行时，找出问题文件和解决办法
                smfit probe                驱动实际加载哪些映像，其余为何失败
                smfit cards [NAME]         这块显卡的资料
                smfit archs                全部计算能力
[3]

$ smfit --sysroot future
NVIDIA 10de:fff0   compute capability ?   driver 999.10 (CUDA 13.4)
runs here       not known: the tables of this version of smfit have no such device
next            smfit inspect FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack                releases that hold kernels for it, and how to install them
                smfit doctor               the file at fault when a program does not run, and the cure
                smfit probe                which images the driver really loads, and why others fail
                smfit cards [NAME]         the tables of this card
                smfit archs                all compute capabilities

$ smfit --sysroot nothere
2> smfit: no folder 'nothere' (--sysroot)
[1]

$ smfit --sysroot broken
2> smfit: cannot read 'broken/sys/bus/pci/devices': Not a directory
[1]

$ smfit --sysroot broken --json
{
  "schema": "smfit.home",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "errors": [
    {
      "code": "io",
      "message": "cannot read 'broken/sys/bus/pci/devices': Not a directory",
      "path": null,
      "offset": null
    }
  ]
}
2> smfit: cannot read 'broken/sys/bus/pci/devices': Not a directory
[1]

$ smfit --sysroot notebook470 --json
{
  "schema": "smfit.home",
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
    "driver": "470.256.02",
    "last_driver": "470.256.02",
    "os": "linux",
    "notebook": true,
    "how": "pci",
    "slot": "0000:01:00.0",
    "kernel_driver": "nvidia",
    "others": null
  },
  "targets": [
    {
      "card": "GeForce 920M",
      "pci_id": "10de:1299",
      "chip": "GK208BM",
      "cc": "3.5",
      "driver": "470.256.02",
      "last_driver": "470.256.02",
      "os": "linux",
      "notebook": true,
      "how": "pci",
      "slot": "0000:01:00.0",
      "kernel_driver": "nvidia",
      "others": null
    }
  ],
  "cards": [
    {
      "card": "GeForce 920M",
      "pci_id": "10de:1299",
      "chip": "GK208BM",
      "cc": "3.5",
      "driver": "470.256.02",
      "last_driver": "470.256.02",
      "os": "linux",
      "notebook": true,
      "how": "pci",
      "slot": "0000:01:00.0",
      "kernel_driver": "nvidia",
      "others": null,
      "driver_knows_card": true,
      "cubins": [
        "sm_30",
        "sm_35"
      ],
      "ptx_target": "compute_35",
      "ptx_isa": "7.4",
      "cuda": "11.4",
      "fact_id": "fact.10de:1299",
      "pytorch": null
    }
  ],
  "errors": []
}

## cards that are assumed
$ smfit --assume 920m,os=windows
GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 425.31 (CUDA 10.1)
  often called 5.0 on the web: that is the 920MX
runs here       sm_30 sm_35 cubins of CUDA 10.1 and older; PTX up to compute_35, ISA 6.4
last driver     425.31 (Windows)
next            smfit inspect --assume 920m,os=windows FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume 920m,os=windows                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                                  the tables of this card
                smfit archs                                         all compute capabilities

$ smfit --assume 920mx
GeForce 920MX (10de:134f, GM108M)   compute capability 5.0   2 GB   driver 580 (CUDA 13.0)
  not the 920M, which is Kepler, 3.5
runs here       sm_50 cubins of CUDA 13.x and older; PTX up to compute_50, ISA 9.0
last driver     580 (Linux)
next            smfit inspect --assume 920mx FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume 920mx                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                        the tables of this card
                smfit archs                               all compute capabilities

$ smfit --assume '750 ti'
GeForce GTX 750 Ti (10de:1380, GM107)   compute capability 5.0   2 GB   driver 580 (CUDA 13.0)
runs here       sm_50 cubins of CUDA 13.x and older; PTX up to compute_50, ISA 9.0
last driver     580 (Linux)
next            smfit inspect --assume '750 ti' FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume '750 ti'                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                           the tables of this card
                smfit archs                                  all compute capabilities
2> smfit: GeForce GTX 750 Ti is taken as the one with chip GM107 (10de:1380); a rare one bears the name too: GeForce GTX 750 Ti (GM107M, 5.0), GeForce GTX 750 Ti (GK106, 3.0)

$ smfit --assume 'h200,driver=470'
H200 NVL (10de:233b, GH100)   compute capability 9.0   141 GB   driver 470 (CUDA 11.4)
runs here       nothing: driver 470 does not know this card, so that programs see no device, error 100 (no CUDA-capable device is detected)
last driver     none yet, current drivers support it
next            smfit inspect --assume h200,driver=470 FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume h200,driver=470                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                                  the tables of this card
                smfit archs                                         all compute capabilities
2> smfit: H200 NVL is taken as the one with chip GH100 (10de:233b); also: H200 SXM 141GB (GH100, 9.0)
[3]

$ smfit --assume jetson
Jetson AGX Thor (10de:2b00, GB10B)   compute capability 11.0   any current driver
runs here       sm_101 sm_110 cubins of CUDA 13.x and older; PTX up to compute_110, ISA 9.4
last driver     none yet, current drivers support it
next            smfit inspect --assume jetson FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume jetson                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                         the tables of this card
                smfit archs                                all compute capabilities

$ smfit --assume 8.7
sm_87   compute capability 8.7   any current driver
runs here       sm_87 cubins of CUDA 13.x and older; PTX up to compute_87, ISA 9.4
last driver     none yet, current drivers support it
next            smfit inspect --assume 8.7 FILE|DIR...  what a file or package holds, and whether it runs here
                smfit stack --assume 8.7                releases that hold kernels for it, and how to install them
                smfit cards [NAME]                      the tables of this card
                smfit archs                             all compute capabilities

$ smfit --assume 'GeForce 6800 GT'
2> smfit: --assume: card 'GeForce 6800 GT' (NV40) is older than CUDA
[2]

$ smfit --assume 920m --lang zh
GeForce 920M (10de:1299, GK208BM)   计算能力 3.5   2 GB   驱动 470.256.02（CUDA 11.4）
  网上常说是 5.0：那是 920MX
可以运行        CUDA 11.x 及更早的 sm_30 sm_35 cubin；PTX 至 compute_35、ISA 7.4
最后的驱动      470.256.02（Linux）
下一步          smfit inspect --assume 920m FILE|DIR...  查看文件或软件包的内容，以及能否在此运行
                smfit stack --assume 920m                含有它的内核的版本，以及如何安装
                smfit cards [NAME]                       这块显卡的资料
                smfit archs                              全部计算能力

$ smfit --sysroot nothing --lang zh
未找到 NVIDIA GPU（PCI 扫描）
以假定的显卡为例（换一种：smfit --assume 显卡）：

GeForce 920M (10de:1299, GK208BM)   计算能力 3.5   2 GB   驱动 470.256.02（CUDA 11.4）
  网上常说是 5.0：那是 920MX
可以运行        CUDA 11.x 及更早的 sm_30 sm_35 cubin；PTX 至 compute_35、ISA 7.4
最后的驱动      470.256.02（Linux）
下一步          smfit inspect --assume 920m FILE|DIR...  查看文件或软件包的内容，以及能否在此运行
                smfit stack --assume 920m                含有它的内核的版本，以及如何安装
                smfit cards [NAME]                       这块显卡的资料
                smfit archs                              全部计算能力

## a FIFO in the place of a file is not waited for
$ for file in vendor device class subsystem; do for command in '' doctor stack 'doctor --snapshot snap'; do timeout 20 smfit $command --sysroot fifo-$file >/dev/null 2>&1; [ $? != 124 ] || echo "$file: smfit $command waits"; done; done; echo done
done

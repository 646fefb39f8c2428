$ smfit --version
smfit 0.1.0

$ smfit --help
smfit: will this CUDA software run on that NVIDIA card, and how should it be run?

usage: smfit [OPTION...] [COMMAND [OPTION...] [OPERAND...]]

commands
  (none)                 the card of this machine, what runs on it, and the next step
  inspect FILE|DIR|-...  which kernel images files hold, and whether they run on a card
  probe [FILE]           load every kernel image inside smfit on each device, and compare with the
                         prediction
  repro [CASE]           provoke 'no kernel image' and its cousins on purpose; cause, how to
                         recognise it, and the cure shown working
  bench [--compare A.json B.json]
                         measure peaks, memory, matrix products and convolutions, and check every
                         result
  size                   batch, precision, GPU or CPU for a network, with the memory bill
  doctor [FOLDER...]     the whole machine: what runs, what does not, the file at fault and the cure
  stack [check SPEC]     which driver, CUDA, framework and Python hold kernels for a card, how to
                         install them, and whether a combination is right
  explain TEXT|@FILE|-   what an error text may mean, and what would tell its possible causes apart
  cards [PATTERN]        NVIDIA display devices: chip, compute capability, last driver
  archs                  compute capabilities: toolkits, drivers, abilities, limits

options before or after any command
      --assume CARD|sm_XY[,driver=V][,os=windows]
                           answer for this card instead of those in the machine; may be repeated
      --device N|UUID|PCI  the device to use: CUDA's number, a UUID or a PCI id (default: all)
      --virtual CARD[,CARD...][,driver=V]
                           run on a virtual GPU instead; results are simulated
      --sysroot DIR        look at a copy of another system: DIR/sys, DIR/proc
      --json               one JSON document on standard output
      --lang en|zh         language of the sentences (default: from the locale)
      --color auto|always|never
                           colour (default: auto, on a terminal unless NO_COLOR is set)
  -v, --verbose            say more
  -q, --quiet              no notes and no progress on standard error
  -h, --help               this help
      --version            the version of smfit

examples
  smfit
      the card of this machine, and what runs on it
  smfit --assume 920m
      the same for a card that is not in this machine

exit codes
  0  shown
  1  the PCI bus could not be read
  2  the command line is wrong
  3  the driver does not know the card, or PyTorch has nothing for it

'smfit help COMMAND' or 'smfit COMMAND --help' tells more about one command.

$ smfit help inspect
usage: smfit inspect [OPTION...] FILE|DIR|-...

which kernel images files hold, and whether they run on a card

Reads ELF and PE files, static archives, raw .fatbin, .cubin and .ptx files, and, without unpacking
to disk, wheels, conda packages, tar, deb and rpm archives and images saved by docker. Files are
told by content, folders are read with everything in them, - is standard input. With a card (in this
machine, or assumed) it says what runs there: the driver chooses one image in each container. -v
also lists the files without GPU code, and which images stand together in containers.

options
      --containers   list each container with its images
      --kernels      name the kernels of each container, with the images that hold them
      --kernel NAME  count only containers with a kernel of this name: part of it, or a pattern with
                     * and ?
      --verify       unpack every image and compare it with what its header states

options before or after any command
      --assume CARD|sm_XY[,driver=V][,os=windows]
                     answer for this card instead of those in the machine; may be repeated
      --sysroot DIR  look at a copy of another system: DIR/sys, DIR/proc
      --json         one JSON document on standard output
      --lang en|zh   language of the sentences (default: from the locale)
      --color auto|always|never
                     colour (default: auto, on a terminal unless NO_COLOR is set)
  -v, --verbose      say more
  -q, --quiet        no notes and no progress on standard error
  -h, --help         this help
      --version      the version of smfit

examples
  smfit inspect --assume 920m /usr/lib/x86_64-linux-gnu/libcublas.so.11
      every image of a library, and whether it runs on a GeForce 920M with its last driver
  smfit inspect --assume sm_35 --assume 1050,driver=580 torch-1.3.1-cp37-cp37m-manylinux1_x86_64.whl
      a package as a gate before deployment: exit code 3 when some file has nothing for one of the
      two cards
  smfit inspect --assume 920m --kernel at6native torch-1.3.1-cp37-cp37m-manylinux1_x86_64.whl
      only the containers with kernels of that name: PyTorch's own (at::native), without the NVIDIA
      libraries linked into it

exit codes
  0  done
  1  a file could not be read
  2  the command line is wrong
  3  a card is known, and some file has nothing that runs there

$ smfit cards --help
usage: smfit cards [OPTION...] [PATTERN]

NVIDIA display devices: chip, compute capability, last driver

PATTERN is a name or part of it, without regard to case, blanks, hyphens and words such as GeForce;
a PCI id (10de:1299), a chip (GK208) or a capability (3.5) will do as well. One name may stand for
several chips: each has its own line, and only the PCI id tells them apart. -v adds all that the
tables know, with sources.

options before or after any command
      --json        one JSON document on standard output
      --lang en|zh  language of the sentences (default: from the locale)
      --color auto|always|never
                    colour (default: auto, on a terminal unless NO_COLOR is set)
  -v, --verbose     say more
  -q, --quiet       no notes and no progress on standard error
  -h, --help        this help
      --version     the version of smfit

examples
  smfit cards 920m
      one card, by a part of its name
  smfit cards -v GK208
      everything that is known about the cards with one chip

exit codes
  0  shown
  2  the command line is wrong
  3  no such card

$ smfit help archs
usage: smfit archs [OPTION...]

compute capabilities: toolkits, drivers, abilities, limits

A cubin (sm_XY) runs on its own major version from its minor version on; on Tegra only on its own
capability. PTX (compute_XY) runs on its target and everything above, if the driver knows its ISA
version. -v adds limits and rates.

options before or after any command
      --json        one JSON document on standard output
      --lang en|zh  language of the sentences (default: from the locale)
      --color auto|always|never
                    colour (default: auto, on a terminal unless NO_COLOR is set)
  -v, --verbose     say more
  -q, --quiet       no notes and no progress on standard error
  -h, --help        this help
      --version     the version of smfit

examples
  smfit archs
      the table
  smfit archs --json
      with the limits and a source for each row

exit codes
  0  shown
  2  the command line is wrong

## a help in Chinese
$ smfit --lang zh --help
smfit：这个 CUDA 程序能在那块 NVIDIA 显卡上运行吗？该怎样运行？

用法：smfit [选项...] [命令 [选项...] [参数...]]

命令
  （不带命令）           本机的显卡、能在其上运行的内容，以及下一步
  inspect FILE|DIR|-...  列出文件中的内核映像，并判断能否在某块显卡上运行
  probe [FILE]           在每个设备上加载 smfit 自带的每个内核映像，并与预测对照
  repro [CASE]           故意引发“no kernel image”及其同类错误；给出原因、识别方法，并演示解决办法
  bench [--compare A.json B.json]
                         测量峰值、内存、矩阵乘法与卷积的速度，并核对每个结果
  size                   一个网络的批大小、精度、该用 GPU 还是 CPU，以及显存清单
  doctor [FOLDER...]     检查整台机器：哪些能运行、哪些不能、问题出在哪个文件，以及如何解决
  stack [check SPEC]     哪些驱动、CUDA、框架和 Python 含有面向某块显卡的内核，如何安装，以及某个组
                         合是否正确
  explain TEXT|@FILE|-   解释错误文本可能的含义，以及如何区分各种可能的原因
  cards [PATTERN]        NVIDIA 显示设备：芯片、计算能力、最后的驱动
  archs                  各计算能力：工具包、驱动、功能与上限

可放在任何命令之前或之后的选项
      --assume CARD|sm_XY[,driver=V][,os=windows]
                           为指定的显卡作答，而不是本机的显卡；可重复
      --device N|UUID|PCI  使用的设备：CUDA 编号、UUID 或 PCI 编号（默认全部）
      --virtual CARD[,CARD...][,driver=V]
                           改在虚拟 GPU 上运行；结果为模拟
      --sysroot DIR        查看另一系统的副本：DIR/sys、DIR/proc
      --json               在标准输出上给出一个 JSON 文档
      --lang en|zh         语句所用语言（默认取自区域设置）
      --color auto|always|never
                           颜色（默认 auto：终端上启用，除非设置了 NO_COLOR）
  -v, --verbose            输出更多内容
  -q, --quiet              标准错误上不输出提示和进度
  -h, --help               本帮助
      --version            smfit 的版本

示例
  smfit
      本机的显卡，以及能在其上运行的内容
  smfit --assume 920m
      同上，但针对不在本机的显卡

退出码
  0  已显示
  1  无法读取 PCI 总线
  2  命令行有误
  3  驱动不认识这块显卡，或 PyTorch 没有适合它的内容

“smfit help 命令”或“smfit 命令 --help”给出该命令的详细说明。

$ smfit inspect --lang zh --help
用法： smfit inspect [选项...] FILE|DIR|-...

列出文件中的内核映像，并判断能否在某块显卡上运行

可读取 ELF 与 PE 文件、静态库、单独的 .fatbin、.cubin、.ptx 文件；并可不解压到磁盘而直接读取 wheel、
conda 包、tar、deb、rpm 以及 docker save 的镜像。按内容而不是按文件名识别；目录会连同其中的全部内容
一起读取；- 表示标准输入。已知显卡时（本机的，或用 --assume 假定的）会说明能否运行：驱动在每个容器中
各选一个映像。-v 还会列出不含 GPU 代码的文件，以及哪些映像在同一容器中。

选项
      --containers   逐个列出容器及其映像
      --kernels      列出每个容器中的内核名，以及含有它们的映像
      --kernel NAME  只统计含有此名称内核的容器：名称的一部分，或带 * 和 ? 的模式
      --verify       解压每个映像，并与其头部所述进行比较

可放在任何命令之前或之后的选项
      --assume CARD|sm_XY[,driver=V][,os=windows]
                     为指定的显卡作答，而不是本机的显卡；可重复
      --sysroot DIR  查看另一系统的副本：DIR/sys、DIR/proc
      --json         在标准输出上给出一个 JSON 文档
      --lang en|zh   语句所用语言（默认取自区域设置）
      --color auto|always|never
                     颜色（默认 auto：终端上启用，除非设置了 NO_COLOR）
  -v, --verbose      输出更多内容
  -q, --quiet        标准错误上不输出提示和进度
  -h, --help         本帮助
      --version      smfit 的版本

示例
  smfit inspect --assume 920m /usr/lib/x86_64-linux-gnu/libcublas.so.11
      一个库中的全部映像，以及它在装有最后驱动的 GeForce 920M 上能否运行
  smfit inspect --assume sm_35 --assume 1050,driver=580 torch-1.3.1-cp37-cp37m-manylinux1_x86_64.whl
      部署前的检查：只要某个文件对两块显卡之一没有可运行的映像，退出码即为 3
  smfit inspect --assume 920m --kernel at6native torch-1.3.1-cp37-cp37m-manylinux1_x86_64.whl
      只看含有该名称内核的容器：PyTorch 自己的（at::native），不含链接进去的 NVIDIA 库

退出码
  0  完成
  1  有文件无法读取
  2  命令行有误
  3  已知显卡，而某个文件中没有任何能在其上运行的映像

## the locale chooses the language; one that is not UTF-8 could not show it
$ LC_ALL=zh_CN.UTF-8 smfit --help | head -1
smfit：这个 CUDA 程序能在那块 NVIDIA 显卡上运行吗？该怎样运行？

$ LC_ALL=zh_CN.GBK smfit --help | head -1
smfit: will this CUDA software run on that NVIDIA card, and how should it be run?

## help and -h are the same
$ smfit help cards | cmp - <(smfit -h cards) && echo same
same

$ smfit help help | head -1
smfit: will this CUDA software run on that NVIDIA card, and how should it be run?

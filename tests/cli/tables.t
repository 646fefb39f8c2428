$ smfit cards 920m
name          PCI id     chip     cc   last driver, Linux  Windows  system
GeForce 920M  10de:1299  GK208BM  3.5  470.256.02          425.31   notebook
  often called 5.0 on the web: that is the 920MX

$ smfit cards 'GT 730'
name            PCI id     chip    cc   last driver, Linux  Windows  system
GeForce GT 730  10de:0f02  GF108   2.1  390.157             391.35   desktop
GeForce GT 730  10de:0f06  GF108   2.1  390.157             391.35   desktop
GeForce GT 730  10de:0fc9  GK107   3.0  470.256.02          475.14   desktop
GeForce GT 730  10de:1287  GK208B  3.5  470.256.02          475.14   desktop

$ smfit cards 750ti
name                PCI id     chip    cc   last driver, Linux  Windows  system
GeForce GTX 750 Ti  10de:1380  GM107   5.0  580                 580      desktop
GeForce GTX 750 Ti  10de:139d  GM107M  5.0  580                 580      notebook
GeForce GTX 750 Ti  10de:11c7  GK106   3.0  470.256.02          475.14   desktop   rare

$ smfit cards 3.7
name       PCI id     chip     cc   last driver, Linux  Windows  system
Tesla K80  10de:102d  GK210GL  3.7  470.256.02          475.14   server

$ smfit cards gk210
name       PCI id     chip     cc   last driver, Linux  Windows  system
Tesla K80  10de:102d  GK210GL  3.7  470.256.02          475.14   server

$ smfit cards 10DE:1299
name          PCI id     chip     cc   last driver, Linux  Windows  system
GeForce 920M  10de:1299  GK208BM  3.5  470.256.02          425.31   notebook
  often called 5.0 on the web: that is the 920MX

$ smfit cards GeForce-920-MX
name           PCI id     chip    cc   last driver, Linux  Windows  system
GeForce 920MX  10de:134f  GM108M  5.0  580                 580      notebook
  not the 920M, which is Kepler, 3.5

$ smfit cards nonsense
2> smfit: no card 'nonsense' is known
[3]

$ smfit cards nonsense --json
{
  "schema": "smfit.cards",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "cards": [],
  "errors": []
}
2> smfit: no card 'nonsense' is known
[3]

$ smfit cards 920m -v
name          PCI id     chip     cc   last driver, Linux  Windows  system
GeForce 920M  10de:1299  GK208BM  3.5  470.256.02          425.31   notebook
  often called 5.0 on the web: that is the 920MX

GeForce 920M 10de:1299
  system       notebook
  last_branch  470
  rare         no
  source       pci.ids+gpus.json+chip
  confidence   documented
  note         also: GeForce 920A; GeForce GT 730
  figures
  name            GeForce 920M
  system          notebook
  sm_count        2
  core_count      384
  base_mhz        954
  memory_mib      2048
  memory_type     DDR3
  bus_bits        64
  bandwidth_gbps  14.4
  l2_kib          512
  pcie            3.0x8
  fp16_ratio      0
  fp64_ratio      0.041667
  tensor          none
  launch_us       6.7
  h2d_gbps        5.7
  source_chip     pci.ids+tpu+wiki
  source_clocks   tpu+wiki
  source_memory   tpu+wiki
  source_l2       tpu+chip
  source_host     family
  confidence      documented
  note            some sites call it GM108 and 5.0: that is the 920MX

$ smfit cards 920m --json
{
  "schema": "smfit.cards",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "cards": [
    {
      "name": "GeForce 920M",
      "pci_id": "10de:1299",
      "chip": "GK208BM",
      "cc": "3.5",
      "last_driver_linux": "470.256.02",
      "last_driver_windows": "425.31",
      "system": "notebook",
      "last_branch": "470",
      "rare": false,
      "source": "pci.ids+gpus.json+chip",
      "confidence": "documented",
      "note": "also: GeForce 920A; GeForce GT 730",
      "figures": {
        "name": "GeForce 920M",
        "system": "notebook",
        "sm_count": 2,
        "core_count": 384,
        "base_mhz": 954,
        "boost_mhz": null,
        "boost_mhz_reason": "does not apply",
        "memory_mib": 2048,
        "memory_type": "DDR3",
        "bus_bits": 64,
        "bandwidth_gbps": 14.4,
        "l2_kib": 512,
        "pcie": "3.0x8",
        "fp16_ratio": 0,
        "fp64_ratio": 0.041667,
        "tensor": "none",
        "launch_us": 6.7,
        "h2d_gbps": 5.7,
        "source_chip": "pci.ids+tpu+wiki",
        "source_clocks": "tpu+wiki",
        "source_memory": "tpu+wiki",
        "source_l2": "tpu+chip",
        "source_host": "family",
        "confidence": "documented",
        "note": "some sites call it GM108 and 5.0: that is the 920MX"
      }
    }
  ],
  "errors": []
}

$ smfit cards 920m --lang zh
名称          PCI 编号   芯片     计算能力  最后驱动（Linux）  Windows  类型
GeForce 920M  10de:1299  GK208BM  3.5       470.256.02         425.31   笔记本
  网上常说是 5.0：那是 920MX

## every name that is printed is taken back
$ smfit cards 'Quadro K620'
name         PCI id     chip     cc   last driver, Linux  Windows  system
Quadro K620  10de:13bb  GM107GL  5.0  580                 580      workstation

$ test $(smfit cards | wc -l) -gt 1500 && echo many
many

$ smfit archs | grep -E '^arch|sm_(35|37|50|75|87|120) '
arch    cc    family     toolkits     drivers, Linux    drivers, Windows  notebooks to  fp16          dp4a  tensor  bf16  fp8
sm_35   3.5   Kepler     5.0 - 11.8   304 - 470.256.02  304 - 475.14      425.31        storage only  no    no      no    no
sm_37   3.7   Kepler     6.5 - 11.8   340 - 470.256.02  340 - 475.14      -             storage only  no    no      no    no
sm_50   5.0   Maxwell    6.0 - 12.9   331 - 580         331 - 580         580           storage only  no    no      no    no
sm_75   7.5   Turing     10.0 -       410 -             410 -             current       full          yes   yes     no    no
sm_87   8.7   Ampere     11.4 -       -                 -                 -             full          yes   yes     yes   no
sm_120  12.0  Blackwell  12.8 -       570 -             570 -             current       full          yes   yes     yes   yes

$ smfit archs --lang zh | grep -E '架构|sm_(35|120) '
架构    计算能力  系列       工具包       驱动（Linux）     驱动（Windows）  笔记本至  fp16    dp4a  张量核心  bf16  fp8
sm_35   3.5       Kepler     5.0 - 11.8   304 - 470.256.02  304 - 475.14     425.31    仅存储  无    无        无    无
sm_120  12.0      Blackwell  12.8 起      570 起            570 起           至今      全速    有    有        有    有
驱动一栏代表整个分支。smfit 自身不带低于 sm_35 的映像；更老的显卡同样给出答案。

$ smfit archs -v | grep -E '^arch|sm_(35|90) '
arch    cc    family     toolkits     drivers, Linux    drivers, Windows  notebooks to  fp16          dp4a  tensor  bf16  fp8
sm_35   3.5   Kepler     5.0 - 11.8   304 - 470.256.02  304 - 475.14      425.31        storage only  no    no      no    no
sm_90   9.0   Hopper     11.8 -       520 -             520 -             current       full          yes   yes     yes   yes
arch    class    PTX from  CUDA to  fp16/fp32  fp64/fp32  cores/SM  warps/SM  registers/SM  shared KiB/SM  KiB/block  confidence
sm_35   desktop       3.1     11.4          -          ?       192        64         65536             48         48  measured
sm_90   desktop       7.8  current          2        1/2       128        64         65536            228        227  measured

## what runs on a card, newest first; commands; what to check
$ smfit stack --assume 920m
GeForce 920M (3.5), last driver 470.256.02
  programs of CUDA 11.x and older

PyTorch with kernels for 3.5, newest first
  package  version  CUDA  driver from  cuDNN  Python       channel  runs by  evidence
  torch    1.3.0    10.1  418.39              2.7 3.5-3.7  pip      sm_35    measured
  torch    1.3.0    10.0  410.48              2.7 3.5-3.7  pip      sm_35    documented
  torch    1.3.0    9.2   396.26              2.7 3.5-3.7  pip      sm_35    documented
  torch    1.3.0    10.0  410.48       7.6.3  2.7 3.5-3.7  conda    sm_35    documented
  torch    1.3.0    9.2   396.26       7.6.3  2.7 3.5-3.7  conda    sm_35    documented
  torch    1.3.0    10.1  418.39       7.6.3  2.7 3.5-3.7  conda    sm_35    inferred
  20 more; -v shows them
  244 known builds for this system do not work on this card

install torch 1.3.0
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1

or in a container
  docker run --gpus all -it pytorch/pytorch:1.3-cuda10.1-cudnn7-runtime

then check on the card itself; is_available() being True is no proof
  python -c "import torch; print(torch.ones(4, device='cuda') + 1, torch.version.cuda)"

the newest that works of other frameworks
  package           version      CUDA  driver from  cuDNN  Python    channel  runs by  evidence
  bitsandbytes      0.35.4       11.1  450.36.06           ?         pip      sm_35    measured
  ctranslate2       2.24.0       11.2  450.36.06           3.8       pip      sm_35    measured
  cupy-cuda11x      13.6.0       11.8  450.36.06           3.9-3.13  pip      cc_35+   inferred
  faiss-gpu         1.6.3        9.0   384.81              3.8       pip      sm_35    measured
  k2                1.23.4       11.7  450.36.06           ?         pip      sm_35    measured
  mxnet-cu101       1.6.0.post0  10.1  418.39              ?         pip      sm_35    measured
  onnxruntime-gpu   1.7.0        11.0  450.36.06    8.0    ?         pip      cc_35+   inferred
  paddlepaddle-gpu  2.4.2        10.2  440.33              3.8       pip      sm_35    measured
  spconv-cu102      2.3.6        10.2  440.33              3.8       pip      sm_35    measured
  spconv-cu117      2.3.6        11.7  450.36.06           3.10      pip      sm_35    measured
  tensorflow        2.11.0       11.2  450.36.06    8.1    3.7-3.10  pip      sm_35    measured
  torchvision       0.13.1       10.2  440.33              3.8       pip      sm_35    measured
  xgboost           1.0.2        9.0   384.81              ?         pip      sm_35    measured

CUDA Toolkit
  Not needed to run wheels or conda packages: they bring their own CUDA runtime, and its version
  need not be that of an installed toolkit.
  To build extensions or programs: CUDA 11.8 or older (the last that knows 3.5), for an extension
  the CUDA that the framework was built for. Without its driver: cuda-toolkit-11-8 instead of cuda,
  or the runfile with --toolkit --silent. Then PATH=/usr/local/cuda-11.8/bin and
  LD_LIBRARY_PATH=/usr/local/cuda-11.8/lib64; check with nvcc --version and which ptxas.

driver
  Any from 304 on up to 470.256.02, the last that knows this card; a newer one does not see it.
  -v shows how to remove the present one and to install that branch

other ways
  Rebuilt wheels of newer releases with 3.5 (torch 1.3.1 to 1.13.1, Linux):
  github.com/nelson-liu/pytorch-manylinux-binaries. Unofficial, by one person, not verified here:
  smfit inspect the file first.
  Build from source: TORCH_CUDA_ARCH_LIST="3.5" with CUDA 11.8 or older (for CMake projects
  -DCMAKE_CUDA_ARCHITECTURES), hours on an old computer; only releases that still build with that
  CUDA.
  On the CPU, with a current release: torch.set_num_threads(number of cores),
  torch.inference_mode(), channels_last, batch 1. On notebooks of that age often no slower.
  On the CPU with 8-bit weights: torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear},
  dtype=torch.qint8), or ONNX Runtime's quantize_dynamic.
  Elsewhere: a T4 (7.5), as Colab lends it, takes every current release.

$ smfit stack --assume 920m,os=windows | head -20
GeForce 920M (3.5), Windows, last driver 425.31
  programs of CUDA 10.1 and older

PyTorch with kernels for 3.5, newest first
  package  version  CUDA  driver from  Python       channel  runs by  evidence
  torch    1.3.1    10.1  418.96       2.7 3.5-3.7  pip      sm_35    inferred
  torch    1.3.1    9.2   397.44       2.7 3.5-3.7  pip      sm_35    inferred
  torch    1.3.1    10.1  418.96       2.7 3.5-3.7  conda    sm_35    inferred
  torch    1.3.1    9.2   397.44       2.7 3.5-3.7  conda    sm_35    inferred
  torch    1.3.0    10.1  418.96       2.7 3.5-3.7  pip      sm_35    documented
  torch    1.3.0    9.2   397.44       2.7 3.5-3.7  pip      sm_35    documented
  22 more; -v shows them
  208 known builds for this system do not work on this card

install torch 1.3.0
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1 -f https://download.pytorch.org/whl/torch_stable.html

then check on the card itself; is_available() being True is no proof
  python -c "import torch; print(torch.ones(4, device='cuda') + 1, torch.version.cuda)"

$ smfit stack --os windows --assume 920m | head -3
GeForce 920M (3.5), Windows, last driver 425.31
  programs of CUDA 10.1 and older


$ smfit --lang zh stack --assume 750ti -q | head -22
GeForce GTX 750 Ti (5.0)，最后的驱动 580
  CUDA 13.x 及更早的程序

含有 5.0 内核的 PyTorch，从新到旧
  软件包  版本    CUDA  驱动起于   Python                         渠道  运行方式  证据
  torch   2.14.0  12.6  525.60.13  3.10-3.15 (3.15 experimental)  pip   sm_50     有文档
  torch   2.13.0  12.6  525.60.13  3.10-3.15                      pip   sm_50     有文档
  torch   2.12.0  12.6  525.60.13  3.10-3.14                      pip   sm_50     有文档
  torch   2.11.0  12.6  525.60.13  3.10-3.14                      pip   sm_50     实测
  torch   2.10.0  12.6  525.60.13  3.10-3.14                      pip   sm_50     实测
  torch   2.9.1   12.6  525.60.13  3.10-3.14                      pip   sm_50     有文档
  还有 213 个；用 -v 显示
  面向此系统的已知构建中有 35 个不能在这块显卡上工作

安装 torch 2.14.0
  conda create -n torch-2.14.0 python=3.14 && conda activate torch-2.14.0
  pip install torch==2.14.0 --index-url https://download.pytorch.org/whl/cu126

然后在显卡上实际检验；is_available() 为 True 不能证明什么
  python -c "import torch; print(torch.ones(4, device='cuda') + 1, torch.version.cuda)"

其他框架中可用的最新者

$ smfit stack --framework cupy --assume 920m --why | head -20
GeForce 920M (3.5), last driver 470.256.02
  programs of CUDA 11.x and older

cupy with kernels for 3.5, newest first
  package       version  CUDA  driver from  Python    channel  runs by           evidence
  cupy-cuda11x  13.6.0   11.8  450.36.06    3.9-3.13  pip      cc_35+            inferred
  cupy-cuda102  12.1.0   10.2  440.33       3.8-3.11  pip      cc_30+            inferred
  cupy-cuda11x  11.6.0   11.8  450.36.06    3.10      pip      sm_35             measured
  cupy-cuda110  11.6.0   11.0  450.36.06    3.8       pip      compute_35 (JIT)  measured
  cupy-cuda102  11.6.0   10.2  440.33       3.8       pip      compute_30 (JIT)  measured
  cupy-cuda101  9.6.0    10.1  418.39       3.6-3.9   pip      compute_30 (JIT)  measured
  2 more; -v shows them
  cupy-cuda11x 13.6.0, CUDA 11.8, pip: CuPy installation guide; NVRTC of CUDA 11.2 to 11.8 knows
  3.5; the Windows wheel of it was measured (kernels are compiled at run time; needs the CUDA
  libraries of 11.x)
  cupy-cuda102 12.1.0, CUDA 10.2, pip: CuPy installation guide and release notes; NVRTC of the CUDA
  version compiles at run time (kernels are compiled at run time; needs the CUDA libraries of that
  version)
  cupy-cuda11x 11.6.0, CUDA 11.8, pip: results/packages/cupy_cuda11x-11.6.0.json (own containers of
  cupy_cuda11x-11.6.0-cp310-cp310-manylinux1_x86_64.whl)

## nothing fits: other ways
$ smfit stack --framework torch --assume 'GTX 680'
GeForce GTX 680 (3.0), last driver 470.256.02
  programs of CUDA 11.x and older

torch with kernels for 3.0, newest first
  No official build of torch has kernels for 3.0.
  238 known builds for this system do not work on this card

CUDA Toolkit
  Not needed to run wheels or conda packages: they bring their own CUDA runtime, and its version
  need not be that of an installed toolkit.
  To build extensions or programs: CUDA 10.2 or older (the last that knows 3.0), for an extension
  the CUDA that the framework was built for. Without its driver: cuda-toolkit-10-2 instead of cuda,
  or the runfile with --toolkit --silent. Then PATH=/usr/local/cuda-10.2/bin and
  LD_LIBRARY_PATH=/usr/local/cuda-10.2/lib64; check with nvcc --version and which ptxas.

driver
  Any from 295 on up to 470.256.02, the last that knows this card; a newer one does not see it.
  -v shows how to remove the present one and to install that branch

other ways
  Build from source: TORCH_CUDA_ARCH_LIST="3.0" with CUDA 10.2 or older (for CMake projects
  -DCMAKE_CUDA_ARCHITECTURES), hours on an old computer; only releases that still build with that
  CUDA.
  On the CPU, with a current release: torch.set_num_threads(number of cores),
  torch.inference_mode(), channels_last, batch 1. On notebooks of that age often no slower.
  On the CPU with 8-bit weights: torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear},
  dtype=torch.qint8), or ONNX Runtime's quantize_dynamic.
  Elsewhere: a T4 (7.5), as Colab lends it, takes every current release.
[3]

## how the driver is removed and installed
$ smfit stack --assume 920m -v | sed -n '/^driver/,/^other/p'
driver
  Any from 304 on up to 470.256.02, the last that knows this card; a newer one does not see it.
  debian
    sudo apt purge '^nvidia-.*' '^libnvidia-.*' && sudo apt autoremove
    sudo apt install linux-headers-amd64 nvidia-tesla-470-driver
  ubuntu
    sudo apt purge '^nvidia-.*' '^libnvidia-.*' && sudo apt autoremove
    sudo apt install nvidia-driver-470    # apt show first: newer lists have an empty package that leads to 535
  fedora
    sudo dnf remove '*nvidia*'
    sudo dnf install akmod-nvidia-470xx xorg-x11-drv-nvidia-470xx-cuda    # RPM Fusion nonfree
  linux
    cat /proc/driver/nvidia/version && nvidia-smi    # after a restart

other ways

$ smfit stack --assume 750ti,os=windows -v -q | sed -n '/^driver/,/^other/p'
driver
  Any from 331 on up to 580, the last that knows this card; a newer one does not see it.
  windows
    Display Driver Uninstaller (DDU) in safe mode, "clean and restart", network off so that Windows Update brings no other
    the newest 58x from nvidia.com/drivers, custom, clean installation
    nvidia-smi

other ways

## is this combination right?
$ smfit stack check torch==1.12.1+cu102 --assume 920m
torch 1.12.1, CUDA 10.2, linux, pip
  GeForce 920M (3.5), last driver 470.256.02: does not work
  No kernels for 3.5: its own are sm_37 sm_50 sm_60 sm_70. No driver changes that.
  It ends with error 209 (no kernel image is available for execution on the device).
  torch 1.12.1, CUDA 10.2, pip: results/packages/torch-1.12.1.json (own containers of
  torch-1.12.1-cp310-cp310-manylinux1_x86_64.whl)

instead: torch 1.3.0 for CUDA 10.1
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1
[3]

$ smfit stack check torch-1.12.1+cu102-cp38-cp38-win_amd64.whl --assume 920m
torch-1.12.1+cu102-cp38-cp38-win_amd64.whl
  GeForce 920M (3.5), Windows, last driver 425.31: does not work
  There is no such build: the release exists, but not for that CUDA and system.

instead: torch 1.3.0 for CUDA 10.1
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1 -f https://download.pytorch.org/whl/torch_stable.html
[3]

$ smfit stack check torch==1.2.0+cu92 --assume k80
torch 1.2.0, CUDA 9.2, linux, pip
  Tesla K80 (3.7), last driver 470.256.02: works
  It has sm_35, which runs here; its own kernels are sm_35 sm_50 compute_50 sm_60 sm_61 sm_70.
  torch 1.2.0, CUDA 9.2, pip: pytorch/builder manywheel/build.sh @d7f607c084b4 (2019-08-08)

$ smfit stack check pytorch/pytorch:1.5-cuda10.1-cudnn7-runtime --assume 920m
torch 1.5.0, CUDA 10.1, linux, conda
  GeForce 920M (3.5), last driver 470.256.02: does not work
  No kernels for 3.5: its own are sm_37 compute_37 sm_50 sm_60 sm_61 sm_70 sm_75. No driver changes
  that.
  It ends with error 209 (no kernel image is available for execution on the device).
  torch 1.5.0, CUDA 10.1, conda: pytorch/builder conda/pytorch-nightly/build.sh @30850f425c45
  (2020-04-15)

instead: torch 1.3.0 for CUDA 10.1
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1
[3]

$ smfit stack check torch==1.3.0 python 3.10 --assume 920m
torch 1.3.0, CUDA 10.1, linux, pip
  GeForce 920M (3.5), last driver 470.256.02: does not work
  There is no wheel of it for Python 3.10 (it has 2.7 3.5-3.7); pip then offers other versions or
  none.
  torch 1.3.0, CUDA 10.1, pip: results/packages/torch-1.3.0.json (own containers of
  torch-1.3.0-cp37-cp37m-manylinux1_x86_64.whl)

instead: torch 1.3.0 for CUDA 10.1
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1
[3]

$ smfit stack check torch==2.3.0+cu121 --assume k80
torch 2.3.0, CUDA 12.1, linux, pip
  Tesla K80 (3.7), last driver 470.256.02: does not work
  No kernels for 3.7: its own are sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90. No driver changes that.
  It ends with error 35 (CUDA driver version is insufficient for CUDA runtime version).
  torch 2.3.0, CUDA 12.1, pip: pytorch/builder manywheel/build_cuda.sh @ba10bae9fe9b (2024-05-08)

instead: torch 2.3.0 for CUDA 11.8
  conda create -n torch-2.3.0 python=3.12 && conda activate torch-2.3.0
  pip install torch==2.3.0 torchvision==0.18.0 --index-url https://download.pytorch.org/whl/cu118
[3]

$ smfit stack check torch==1.3.0 --assume 920m,os=windows
torch 1.3.0, CUDA 10.1, windows, pip
  GeForce 920M (3.5), Windows, last driver 425.31: works
  It has sm_35, which runs here; its own kernels are sm_35 sm_50 compute_50 sm_60 sm_61 sm_70 sm_75.
  torch 1.3.0, CUDA 10.1, pip: pytorch/builder windows/cuda101.bat @81306b42b5aa (2019-10-09)
  PyPI does not have it for this system, and plain pip install does not find it; it is installed
  with
  conda create -n torch-1.3.0 python=3.7 && conda activate torch-1.3.0
  pip install torch==1.3.0 torchvision==0.4.1 -f https://download.pytorch.org/whl/torch_stable.html

$ smfit stack check torch-1.3.0-cp37-cp37m-win_amd64.whl --assume 920m
torch 1.3.0, CUDA 10.1, windows, pip
  GeForce 920M (3.5), Windows, last driver 425.31: works
  It has sm_35, which runs here; its own kernels are sm_35 sm_50 compute_50 sm_60 sm_61 sm_70 sm_75.
  torch 1.3.0, CUDA 10.1, pip: pytorch/builder windows/cuda101.bat @81306b42b5aa (2019-10-09)

$ smfit stack check torch==1.12.1 --assume 940mx,os=windows
torch==1.12.1
  GeForce 940MX (5.0), Windows, last driver 580: does not work
  This is a build without GPU code. On Windows plain pip install gives that; a CUDA build needs the
  index.

instead: torch 1.12.1 for CUDA 11.6
  conda create -n torch-1.12.1 python=3.10 && conda activate torch-1.12.1
  pip install torch==1.12.1+cu116 torchvision==0.13.1+cu116 --extra-index-url https://download.pytorch.org/whl/cu116
2> smfit: GeForce 940MX is taken as the one with chip GM108M (10de:134b); also: GeForce 940MX (GM107, 5.0)
[3]

$ smfit stack check torch-1.7.1-cp36-cp36m-win_amd64.whl --assume 940mx
torch-1.7.1-cp36-cp36m-win_amd64.whl
  GeForce 940MX (5.0), Windows, last driver 580: not known
  Wheels for several CUDAs, or one without GPU code, have that name: smfit inspect the file.

instead: torch 1.7.1 for CUDA 11.0
  conda create -n torch-1.7.1 python=3.9 && conda activate torch-1.7.1
  pip install torch==1.7.1+cu110 torchvision==0.8.2+cu110 -f https://download.pytorch.org/whl/torch_stable.html
2> smfit: GeForce 940MX is taken as the one with chip GM108M (10de:134b); also: GeForce 940MX (GM107, 5.0)
[3]

$ smfit stack check torch-1.1.0-cp37-cp37m-win_amd64.whl --assume 920m
torch-1.1.0-cp37-cp37m-win_amd64.whl
  GeForce 920M (3.5), Windows, last driver 425.31: not known
  Wheels for several CUDAs, or one without GPU code, have that name: smfit inspect the file.

instead: torch 1.1.0 for CUDA 10.0
  conda create -n torch-1.1.0 python=3.7 && conda activate torch-1.1.0
  pip install https://download.pytorch.org/whl/cu100/torch-1.1.0-cp37-cp37m-win_amd64.whl
  pip install https://download.pytorch.org/whl/cu100/torchvision-0.3.0-cp37-cp37m-win_amd64.whl
[3]

$ smfit stack check driver 441.22 cuda 10.2 --assume 'GTX 1050,os=windows'
driver 441.22 cuda 10.2
  GeForce GTX 1050 (6.1), Windows, driver 441.22: works
  Driver 441.22 knows this card and takes programs of CUDA 10.2 (it knows CUDA up to 10.2). Whether
  a program holds kernels for 6.1 is another question.

$ smfit stack check nvidia/cuda:11.4.3-devel --assume 920m
nvidia/cuda:11.4.3-devel
  GeForce 920M (3.5), last driver 470.256.02: works
  Drivers from 450.36.06 up to 470.256.02, the last one for this card, take programs of CUDA 11.4.
  Whether a program holds kernels for 3.5 is another question.

$ smfit stack check cuda 12.4 --assume t4
cuda 12.4
  Tesla T4 (7.5): works
  Drivers from 525.60.13 on know this card and take programs of CUDA 12.4. Whether a program holds
  kernels for 7.5 is another question.

$ smfit stack check cuda 10.1 --assume 920m,os=windows --lang zh
cuda 10.1
  GeForce 920M (3.5), Windows，最后的驱动 425.31: 可用
  从 418.96 到 425.31（支持这块显卡的最后一个）的驱动都接受 CUDA 10.1 的程序。程序是否含有面向 3.5
  的内核是另一个问题。

$ smfit stack check cuda 9.0 --assume 'RTX 4090'
cuda 9.0
  GeForce RTX 4090 (8.9): works
  Drivers from 520 on know this card and take programs of CUDA 9.0. Whether a program holds kernels
  for 8.9 is another question.

$ smfit stack check cuda 10.2 --assume sm_72
cuda 10.2
  sm_72 (7.2): not known
  On a Jetson the driver comes with JetPack, whose release decides which CUDA runs.
[3]

$ smfit stack check driver 340 --assume t4
driver 340
  Tesla T4 (7.5), driver 340: does not work
  Driver 340 is older than this card (first one: 410); programs see no device at all.
  Any from 410 on.
[3]

$ smfit stack check driver 441.66 --assume 920m,os=windows
driver 441.66
  GeForce 920M (3.5), Windows, driver 441.66: does not work
  Driver 441.66 does not know this card (last one: 425.31); programs see no device at all.
  Any from 304 on up to 425.31, the last that knows this card; a newer one does not see it.
[3]

$ smfit stack check driver 535 torch==1.3.0 --assume 920m
torch 1.3.0, CUDA 10.1, linux, pip
  GeForce 920M (3.5), driver 535: does not work
  Driver 535 does not know this card (last one: 470.256.02); programs see no device at all.
  torch 1.3.0, CUDA 10.1, pip: results/packages/torch-1.3.0.json (own containers of
  torch-1.3.0-cp37-cp37m-manylinux1_x86_64.whl)
  Any from 304 on up to 470.256.02, the last that knows this card; a newer one does not see it.
[3]

$ smfit stack check torch==1.8.1+cu111 --assume t4,driver=440
torch 1.8.1, CUDA 11.1, linux, pip
  Tesla T4 (7.5), driver 440: does not work
  CUDA 11.1 needs driver 450.36.06 or newer; 440 is too old.
  torch 1.8.1, CUDA 11.1, pip: pytorch/builder manywheel/build.sh @8924a150b6b3 (2021-03-04)
  Any from 410 on.
[3]

$ smfit stack check cuda 12.1 --assume 920m
cuda 12.1
  GeForce 920M (3.5), last driver 470.256.02: does not work
  CUDA 12.1 needs a newer driver than 470.256.02, the last one for this card.
[3]

$ smfit stack check cudnn 9.0 --assume k80
cudnn 9.0
  Tesla K80 (3.7), last driver 470.256.02: does not work
  cuDNN 9.0 asks for 5.0 or newer; the card is 3.7.
[3]

$ smfit stack check cudnn 9 --assume t4
cudnn 9
  Tesla T4 (7.5): works
  cuDNN 9 asks for 5.0 or newer; the card is 7.5.

$ smfit stack check cudnn 4 --assume t4
cudnn 4
  Tesla T4 (7.5): not known
  The tables have no such release, so nothing is said about it; smfit inspect tells what its file
  holds.
[3]

$ smfit stack check torch==9.9 --assume t4
torch==9.9
  Tesla T4 (7.5): not known
  The tables have no such release, so nothing is said about it; smfit inspect tells what its file
  holds.
[3]

$ smfit stack check onnxruntime-gpu==1.18.0 --assume t4 --lang zh
onnxruntime-gpu==1.18.0
  Tesla T4 (7.5): 未知
  表中没有这个版本，因此无法判断；smfit inspect 可说明其文件含有什么。
[3]

$ smfit stack check cuda 99.9 --assume t4
cuda 99.9
  Tesla T4 (7.5): not known
  The tables have no such release, so nothing is said about it; smfit inspect tells what its file
  holds.
[3]

$ smfit stack check torch==9.9 --assume t4 --json | sed -n '/checks/,/claims/p'
  "checks": [
    {
      "card": "Tesla T4",
      "status": "unknown_release",
      "works": null,
      "works_reason": "not in the tables",
      "builds": []
    }
  ],
  "claims": [],

## sentences of guides
$ smfit stack check 'K620 and 750 Ti are 3.x'
Wrong: Quadro K620 (GM107GL) is 5.0, not 3.x.
Wrong: GeForce GTX 750 Ti (GM107) is 5.0, not 3.x.
[3]

$ smfit stack check 'the 920MX is 5.0'
Right: GeForce 920MX (GM108M) is 5.0.

$ smfit stack check 'AMP works from 3.5 on'
partly true
  Mixed precision has no check of the capability: torch.cuda.amp is there from PyTorch 1.6 and runs
  on any card that the release has kernels for. It saves memory everywhere and time only where half
  arithmetic is fast (7.0 and newer, not GTX 16xx).
  source: apex#324 (any GPU works, no gain without tensor cores); torch.cuda.amp is from PyTorch 1.6
  (documented)
[3]

$ smfit stack check the installed CUDA Toolkit must match torch.version.cuda
not true
  Running needs no toolkit: wheels and conda packages bring their own CUDA runtime, and what counts
  is the driver. Only building extensions compares nvcc with torch.version.cuda.
  source: wheels and conda packages bring their own CUDA runtime; torch/utils/cpp_extension.py
  compares versions for extensions only (documented)
[3]

## wrong
$ smfit stack --sysroot nothere
2> smfit: no folder 'nothere' (--sysroot)
[1]

$ smfit stack --sysroot nothing
2> smfit: no NVIDIA GPU found; --assume CARD names one
[1]

$ smfit stack check hello
2> smfit: 'hello' is understood as no package, wheel, image, driver or CUDA
[2]

$ smfit stack check
2> smfit: 'stack check' needs SPEC; see 'smfit stack --help'
[2]

$ smfit stack check torch==
2> smfit: 'torch==' names no version of 'torch'
[2]

$ smfit stack check torch==1.3.0 torch==1.4.0 --assume t4
2> smfit: 'torch==1.3.0 torch==1.4.0' says both '1.3.0' and '1.4.0'; ask about one at a time
[2]

$ smfit stack check torch==1.3.0 torchvision==0.4.1 --assume t4
2> smfit: 'torch==1.3.0 torchvision==0.4.1' says both 'torch' and 'torchvision'; ask about one at a time
[2]

$ smfit stack check python 3.8 --assume t4
2> smfit: 'python 3.8' names a Python alone, and no package
[2]

$ smfit stack chek torch
2> smfit: 'chek' is no part of stack; 'smfit stack check SPEC' asks about a version
[2]

$ smfit stack --framework tensorflwo --assume t4
2> smfit: no framework 'tensorflwo' is known; torch, tensorflow, cupy, onnxruntime and others
[2]

$ smfit stack check torch==1.12.1+cu102 --assume 920m --json
{
  "schema": "smfit.stack",
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
  "spec": {
    "text": "torch==1.12.1+cu102",
    "package": "torch",
    "version": "1.12.1",
    "cuda": "10.2",
    "cudnn": null,
    "python": null,
    "driver": null,
    "driver_reason": "not named"
  },
  "checks": [
    {
      "card": "GeForce 920M",
      "status": "no_kernels",
      "works": false,
      "builds": [
        {
          "package": "torch",
          "version": "1.12.1",
          "cuda": "10.2",
          "cudnn": null,
          "cudnn_reason": "not known",
          "os": "linux",
          "channel": "pip",
          "python": "3.7-3.10",
          "kernels": [
            "sm_37",
            "sm_50",
            "sm_60",
            "sm_70"
          ],
          "source": "results/packages/torch-1.12.1.json",
          "confidence": "measured",
          "note": "own containers of torch-1.12.1-cp310-cp310-manylinux1_x86_64.whl",
          "status": "no_kernels",
          "runs_by": null,
          "least_driver": "440.33",
          "install": [
            {
              "way": "package",
              "commands": [
                "conda create -n torch-1.12.1 python=3.10 && conda activate torch-1.12.1",
                "pip install torch==1.12.1 torchvision==0.13.1"
              ]
            }
          ]
        }
      ]
    }
  ],
  "claims": [],
  "belief": null,
  "errors": []
}
[3]

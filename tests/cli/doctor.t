## a notebook whose PyTorch has nothing for its card
$ smfit doctor --sysroot torch920m
GeForce 920M (3.5), driver 470.256.02
Python          /home/user/env  Python 3.7: 4 packages, 3 with GPU code
package             CUDA  verdict
torch 1.3.1         10.1  does not run: nothing for 3.5
cupy-cuda100 9.6.0  10.0  runs after the driver has compiled PTX
torchvision 0.4.1   10.1  runs

diagnosis       A1: the library has no code for this card, which is older than what it was built for
                (certain)
at fault        /home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so
evidence        torch 1.3.1: torch/lib/libtorch.so has sm_37 sm_50 sm_60 sm_61 sm_70 sm_75
                compute_37; none of it runs on GeForce 920M (3.5).
                The same file holds parts of NVIDIA's libraries that do have code for 3.5, so that a
                list of the whole file misleads: the package's own kernels decide.
do this         torch 1.3.0 for CUDA 10.1 has code for the card (sm_35 sm_50 sm_60 sm_61 sm_70 sm_75
                compute_50; measured); for Python 2.7 3.5-3.7
                  pip install torch==1.3.0
                  python -c "import torch; print(torch.ones(4, device='cuda') + 1)"
[3]

$ smfit doctor --sysroot torch920m --lang zh
GeForce 920M (3.5)，驱动 470.256.02
Python          /home/user/env  Python 3.7：4 个软件包，其中 3 个含 GPU 代码
软件包              CUDA  结论
torch 1.3.1         10.1  不能运行：没有适合 3.5 的内容
cupy-cuda100 9.6.0  10.0  驱动编译 PTX 后可以运行
torchvision 0.4.1   10.1  可以运行

诊断            A1：库中没有适合这块显卡的代码：显卡早于它的构建目标（确定）
问题文件        /home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so
证据            torch 1.3.1：torch/lib/libtorch.so 含有 sm_37 sm_50 sm_60 sm_61 sm_70 sm_75
                compute_37；没有一个能在 GeForce 920M（3.5）上运行。
                同一文件中链接的 NVIDIA 库部分确有 3.5 的代码，因此整个文件的架构列表会误导：起决定
                作用的是软件包自身的内核。
解决办法        面向 CUDA 10.1 的 torch 1.3.0 含有适合该卡的代码（sm_35 sm_50 sm_60 sm_61 sm_70
                sm_75 compute_50；实测）；适用于 Python 2.7 3.5-3.7
                  pip install torch==1.3.0
                  python -c "import torch; print(torch.ones(4, device='cuda') + 1)"
[3]

$ smfit doctor --sysroot torch920m -v
GeForce 920M (3.5), driver 470.256.02
Python          /home/user/env  Python 3.7: 4 packages, 3 with GPU code
machine         ubuntu
                kernel module: 470.256.02
                libcuda: /usr/lib/x86_64-linux-gnu/libcuda.so.1
                ptxjitcompiler: /usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.1
                toolkit (default): /usr/local/cuda-11.8
                VIRTUAL_ENV /home/user/env
package             CUDA  verdict                                 its own kernels
torch 1.3.1         10.1  does not run: nothing for 3.5           sm_37 sm_50 sm_60 sm_61 sm_70 sm_75 compute_37
cupy-cuda100 9.6.0  10.0  runs after the driver has compiled PTX  sm_60 sm_61 sm_70 sm_75 compute_30 compute_50 compute_70
torchvision 0.4.1   10.1  runs                                    sm_35 sm_50 sm_60 sm_70 sm_75 compute_50

diagnosis       A1: the library has no code for this card, which is older than what it was built for
                (certain)
at fault        /home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so
evidence        torch 1.3.1: torch/lib/libtorch.so has sm_37 sm_50 sm_60 sm_61 sm_70 sm_75
                compute_37; none of it runs on GeForce 920M (3.5).
                The same file holds parts of NVIDIA's libraries that do have code for 3.5, so that a
                list of the whole file misleads: the package's own kernels decide.
do this         torch 1.3.0 for CUDA 10.1 has code for the card (sm_35 sm_50 sm_60 sm_61 sm_70 sm_75
                compute_50; measured); for Python 2.7 3.5-3.7
                  pip install torch==1.3.0
                  python -c "import torch; print(torch.ones(4, device='cuda') + 1)"
or              build it from source for 3.5; CUDA toolkit 11.8 is the last that can
                  cmake -DCMAKE_CUDA_ARCHITECTURES=35 ...
                  nvcc -gencode arch=compute_35,code=[sm_35,compute_35] ...
                  TORCH_CUDA_ARCH_LIST="3.5" python setup.py install
or              use the CPU, or another card
                  CUDA_VISIBLE_DEVICES= python PROGRAM
also            cupy-cuda100 9.6.0: cupy/_core/core.so has sm_60 sm_61 sm_70 sm_75 compute_30
                compute_50 compute_70; GeForce 920M (3.5) runs it only after the driver has compiled
                its PTX, which takes minutes for a large library.
also            The toolkit 11.8 in /usr/local/cuda-11.8 writes PTX 7.8; driver 470.256.02 takes 7.4
                at most.
also            cublasGemmEx and its like ask for 5.0, whatever the library holds; GeForce 920M is
                3.5.
[3]

$ smfit doctor --sysroot torch920m --error 'RuntimeError: CUDA error: no kernel image is available for execution on the device' --json | head -c 400
{
  "schema": "smfit.doctor",
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
    "kernel

$ smfit doctor --sysroot torch920m --assume t4
Tesla T4 (7.5)
Python          /home/user/env  Python 3.7: 4 packages, 3 with GPU code
package             CUDA  verdict
cupy-cuda100 9.6.0  10.0  runs
torch 1.3.1         10.1  runs
torchvision 0.4.1   10.1  runs

diagnosis       Nothing wrong was found: every package with GPU code has something for this card.

## the driver
$ smfit doctor --sysroot nouveau
GeForce 920M (3.5), last driver 470.256.02

diagnosis       N2: NVIDIA's driver is not in use (certain)
evidence        nouveau holds GeForce 920M (3.5); CUDA needs NVIDIA's own driver.
do this         driver 470.256.02, the last one that knows the card
[3]

$ smfit doctor --sysroot notebook535
GeForce 920M (3.5), driver 535.261.03

diagnosis       A15: the driver does not know the card (certain)
evidence        Driver 535.261.03 no longer knows GeForce 920M (3.5); 470.256.02 is the last branch
                that does.
do this         driver 470.256.02, the last one that knows the card
[3]

$ smfit doctor --sysroot mixed
Tesla K80 (3.7), driver 535.261.03
Tesla K80 (3.7), driver 535.261.03
GeForce 940M (5.0), driver 535.261.03

diagnosis       A15: the driver does not know the card (certain)
evidence        Driver 535.261.03 no longer knows Tesla K80 (3.7); 470.256.02 is the last branch
                that does.
do this         driver 470.256.02, the last one that knows the card
[3]

## nothing to look at
$ smfit doctor --sysroot nothing
no NVIDIA GPU found (PCI scan); --assume CARD answers for one

diagnosis       Nothing with GPU code was found to look at.

$ smfit doctor --sysroot nothing --assume 920m --error 'error 804: forward compatibility was attempted'
GeForce 920M (3.5), last driver 470.256.02

diagnosis       A14: parts of the driver do not match, or one is missing (possible)
evidence        The error text alone points there; nothing in the files or the driver confirms it.
do this         do without the compat library: the driver's own libcuda must be found first
                  sudo apt remove 'cuda-compat-*'
to be sure      on the machine itself: smfit probe FILE
[3]

$ smfit doctor --sysroot torch920m --python /no/such/folder
2> smfit: no folder '/no/such/folder'
[1]

$ smfit doctor --sysroot torch920m /no/such/folder -q | head -1
GeForce 920M (3.5), driver 470.256.02
2> smfit: no folder '/no/such/folder'

## without a card there is no verdict
$ mkdir -p nocard/opt/x && cp specimens/cuda118.so nocard/opt/x/

$ smfit doctor -q --sysroot nocard
no NVIDIA GPU found (PCI scan); --assume CARD answers for one

diagnosis       Nothing wrong shows without a card; --assume CARD judges for one.

## PTX that is too new for the last driver is no matter of the driver
$ mkdir -p ptx/opt/ptx && cp specimens/cuda118.compute_35.ptx ptx/opt/ptx/

$ smfit doctor -q --sysroot ptx /opt/ptx --assume 920m
GeForce 920M (3.5), last driver 470.256.02
package  verdict
ptx      does not run: nothing for 3.5

diagnosis       A9: the PTX is newer than the driver (certain)
at fault        /opt/ptx/cuda118.compute_35.ptx
evidence        ptx: cuda118.compute_35.ptx has compute_35; none of it runs on GeForce 920M (3.5).
                The PTX is of a newer ISA version than the last driver for this card compiles.
do this         build it with a CUDA toolkit that is not newer than the driver
[3]

## what PyTorch has compiled for another card is compiled again
$ mkdir -p jit/home/u/.cache/torch_extensions/py310_cu118/fused && cp specimens/cuda130.so jit/home/u/.cache/torch_extensions/py310_cu118/fused/fused.so

$ smfit doctor -q --sysroot jit --assume 920m
GeForce 920M (3.5), last driver 470.256.02
package  CUDA  verdict
fused    13.0  does not run: nothing for 3.5

diagnosis       A4: it was built from source for other architectures (certain)
at fault        /home/u/.cache/torch_extensions/py310_cu118/fused/fused.so
evidence        fused: fused.so has sm_75 sm_120a compute_75; none of it runs on GeForce 920M (3.5).
do this         delete what PyTorch has compiled; it compiles it again for 3.5 when the program asks
                for it
                  rm -r '/home/u/.cache/torch_extensions/py310_cu118/fused'
                  TORCH_CUDA_ARCH_LIST="3.5" python PROGRAM
[3]

## a tree or a folder that is not there is no machine without faults; an empty name is no folder
$ smfit doctor --sysroot nothere
2> smfit: no folder 'nothere' (--sysroot)
[1]

$ smfit doctor --sysroot nothere --json | grep -A1 message
      "message": "no folder 'nothere' (--sysroot)",
      "path": null,
2> smfit: no folder 'nothere' (--sysroot)

$ smfit doctor --sysroot torch920m ''
2> smfit: FOLDER is empty
[2]

$ smfit doctor --sysroot torch920m --python ''
2> smfit: option '--python' has an empty argument
[2]

## what cannot be read is said, and fails: "nothing wrong" holds for the rest alone
$ cp -r torch920m cut; for lib in cut/home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so; do head -c 5000 $lib >part; cat part >$lib; done; smfit doctor --sysroot cut --assume t4
Tesla T4 (7.5)
Python          /home/user/env  Python 3.7: 4 packages, 3 with GPU code
package             CUDA  verdict
cupy-cuda100 9.6.0  10.0  runs
torch 1.3.1         10.1  runs
torchvision 0.4.1   10.1  runs

diagnosis       Nothing wrong was found in what could be read.
/home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so could not be read in full: what it
holds is not known.
2> smfit: cannot read '/home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so': the file ends before its contents do
[1]

$ smfit doctor --sysroot cut --assume t4 --lang zh 2>/dev/null | tail -3

诊断            在能够读取的内容中未发现问题。
无法完整读取 /home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so：其中的内容未知。

$ smfit doctor --sysroot cut --assume t4 --json 2>/dev/null | grep -A7 '"errors"'
  "errors": [
    {
      "code": "format",
      "message": "cannot read '/home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so': the file ends before its contents do",
      "path": "/home/user/env/lib/python3.7/site-packages/torch/lib/libtorch.so",
      "offset": null
    }
  ]

$ smfit doctor --sysroot cut --assume 920m 2>/dev/null | head -8
GeForce 920M (3.5), last driver 470.256.02
Python          /home/user/env  Python 3.7: 4 packages, 3 with GPU code
package             CUDA  verdict
torch 1.3.1         10.1  does not run: nothing for 3.5
cupy-cuda100 9.6.0  10.0  runs after the driver has compiled PTX
torchvision 0.4.1   10.1  runs

diagnosis       A1: the library has no code for this card, which is older than what it was built for

## images that are damaged, and files that are none
$ mkdir one && tar -C torch920m -cf whole.tar home && head -c 20000 whole.tar >one/layer.tar && printf '[{"Layers": ["one/layer.tar", "two/layer.tar"]}]' >manifest.json && tar -cf image.tar manifest.json one && smfit doctor --image image.tar --assume t4
Tesla T4 (7.5)

diagnosis       Nothing wrong was found in what could be read.
2 files or folders could not be read in full: what they hold is not known. The first is
one/layer.tar.
2> smfit: cannot read 'one/layer.tar': damaged tar archive: Truncated tar archive; what follows is left out (and 1 more)
[1]

$ smfit doctor --image image.tar --assume t4 --json 2>/dev/null | grep -E -A7 '"(partial|errors)"'
  "partial": true,
  "file_count": 0,
  "read_bytes": 0,
  "problem_count": 0,
  "errors": [
    {
      "code": "format",
      "message": "cannot read 'one/layer.tar': damaged tar archive: Truncated tar archive; what follows is left out (and 1 more)",
      "path": "one/layer.tar",
      "offset": null
    }
  ]

$ printf '{}' >manifest.json; tar -cf image.tar manifest.json one; smfit doctor --image image.tar --assume t4
2> smfit: no image of 'docker save': its manifest.json names no image
[1]

$ echo text >text; smfit doctor --image text --assume t4
2> smfit: no image of 'docker save': it is no archive
[1]

$ smfit doctor --sysroot torch920m --error @nothing-here
2> smfit: --error: cannot open 'nothing-here': No such file or directory
[1]

$ echo 'device kernel image is invalid' | smfit doctor --sysroot notebook470 --error -
GeForce 920M (3.5), driver 470.256.02

diagnosis       A13: the driver is too old for the program (possible)
evidence        The error text alone points there; nothing in the files or the driver confirms it.
do this         build it with a CUDA toolkit that is not newer than the driver
to be sure      on the machine itself: smfit probe FILE
[3]

## a snapshot says of the machine what the machine says
$ smfit doctor --sysroot nouveau --snapshot snap >before; smfit doctor --sysroot snap >after; cmp before after && find snap -type f | sort | head -4
snap/env.txt
snap/ldconfig.txt
snap/packages.json
snap/sys/bus/pci/devices/0000:01:00.0/class

$ smfit doctor --sysroot torch920m --snapshot snap2 -q >/dev/null; smfit doctor --sysroot snap2; cat snap2/env.txt; grep -E '"(name|version|cuda|path|python)"|(sm|compute)_' snap2/packages.json | tr -d '\n ' | sed 's/"name"/\n&/g'
GeForce 920M (3.5), driver 470.256.02

diagnosis       Nothing with GPU code was found to look at.
VIRTUAL_ENV=/home/user/env

"name":"cupy-cuda100","version":"9.6.0","cuda":"10.0","path":"cupy/_core/core.so","sm_60","sm_61","sm_70","sm_75","compute_30","compute_50","compute_70""python":"3.7"
"name":"torch","version":"1.3.1","cuda":"10.1","path":"torch/lib/libtorch.so","sm_37","sm_50","sm_60","sm_61","sm_70","sm_75","compute_37""python":"3.7"
"name":"torchvision","version":"0.4.1","cuda":"10.1","path":"torchvision/_C.so","sm_35","sm_50","sm_60","sm_70","sm_75","compute_50""python":"3.7"

## a long text is read like explain reads it, and so is one in UTF-16
$ (head -c 5000000 /dev/zero | tr '\0' '\n'; echo 'CUDA error: no kernel image is available') >long; for text in - @long; do smfit doctor --sysroot torch920m --error $text <long | grep diagnosis; done
diagnosis       A1: the library has no code for this card, which is older than what it was built for
diagnosis       A1: the library has no code for this card, which is older than what it was built for

$ (head -c 18000000 /dev/zero | tr '\0' '\n'; echo 'CUDA error: no kernel image is available') >long; smfit doctor --sysroot torch920m --error @long | grep diagnosis
diagnosis       A1: the library has no code for this card, which is older than what it was built for
2> smfit: only 16.0 MiB of the text were read

$ smfit doctor --sysroot torch920m --error - --json <long | grep -E '"error_(known|cut)"'
  "error_known": true,
  "error_cut": true,
2> smfit: only 16.0 MiB of the text were read

$ cat long | smfit doctor --sysroot torch920m --error - --json | grep -E '"error_(known|cut)"'
  "error_known": false,
  "error_cut": true,
2> smfit: only 16.0 MiB of the text were read

$ printf '\377\376' >wide; printf 'CUDA out of memory' | sed 's/./&\n/g' | tr '\n' '\0' >>wide; for text in @wide 'CUDA out of memory'; do smfit doctor --sysroot torch920m --error "$text" -v --json | grep -v '"run' >"said $text"; done; cmp said* && grep error_known said*@wide
  "error_known": true,

$ smfit doctor --sysroot torch920m --error - <&-
2> smfit: --error: cannot read '-': Bad file descriptor
[1]

## what it can do
$ smfit bench --help
usage: smfit bench [OPTION...] [--compare A.json B.json]

measure peaks, memory, matrix products and convolutions, and check every result

First the kernel images and what the card can reach at all (arithmetic, memory, launches,
transfers), then matrix products and convolutions by smfit's kernels and by cuBLAS, cuDNN, OpenBLAS
and oneDNN where they are installed, then whole networks as sums of their layers. Cases of one kind
are measured in turn, so that a drifting clock meets all of them; the interval is one of order
statistics; every result is held against double precision on the CPU, every speed against what was
measured of the same kind of instruction. A launch is not to take longer than 50 ms.

options
      --list            print what would be measured and how long it should take
      --quick           a few cases, in seconds
      --full            more shapes, precisions and passes, and more samples
      --case PATTERN    only cases with this in their name, or that fit it with *, ? and [
      --precision NAME  only this class of arithmetic, such as fp32 or fp16-storage
      --shape M,N,K     matrix products of this shape only
      --net NAME        only this network, as the sum of its layers
      --batch N         images at once in networks (default 1)
      --cpu             on the CPU alone
      --lib-dir DIR     look for libraries in this folder first
      --out FILE        write each result to this file as it comes, a JSON object a line
      --resume FILE     go on with a file of --out: what it holds is not done again
      --compare         two results beside each other: same, faster, slower or ambiguous
      --csv             print comma-separated values
      --plot FILE       write the roofline to this file, as SVG
      --uuid            put the card's UUID into the output, not only a hash of it

options before or after any command
      --assume CARD|sm_XY[,driver=V][,os=windows]
                           answer for this card instead of those in the machine; may be repeated
      --device N|UUID|PCI  the device to use: CUDA's number, a UUID or a PCI id (default: all)
      --virtual CARD[,CARD...][,driver=V]
                           run on a virtual GPU instead; results are simulated
      --json               one JSON document on standard output
      --lang en|zh         language of the sentences (default: from the locale)
      --color auto|always|never
                           colour (default: auto, on a terminal unless NO_COLOR is set)
  -v, --verbose            say more
  -q, --quiet              no notes and no progress on standard error
  -h, --help               this help
      --version            the version of smfit

examples
  smfit bench --out results.jsonl
      measure this machine's card, safe against interruption
  smfit --virtual 920m bench --quick
      the same in short on a virtual GeForce 920M
  smfit bench --list --assume 920m
      what would be measured on a GeForce 920M, and how long it should take
  smfit bench --compare before.json after.json
      what became faster or slower between two runs

exit codes
  0  every row is ok, unsupported or skipped
  1  a result was wrong, or a row failed
  2  the command line is wrong
  3  no device, and no --cpu

## words that make no sense
$ smfit bench --precision fp17
2> smfit: no precision 'fp17'; there is fp32, fp16-storage, fp16, tc-fp16, tc-bf16, tc-tf32, int8, tc-int8, fp64, int32
[2]

$ smfit bench --shape 1,2
2> smfit: '--shape' takes M,N,K of 1 to 65536 each, not '1,2'
[2]

$ smfit bench --shape 0,1,1
2> smfit: '--shape' takes M,N,K of 1 to 65536 each, not '0,1,1'
[2]

$ smfit bench --batch none
2> smfit: '--batch' takes 1 to 65536 images, not 'none'
[2]

$ smfit bench --batch 0
2> smfit: '--batch' takes 1 to 65536 images, not '0'
[2]

$ smfit bench --quick --full
2> smfit: options '--quick' and '--full' exclude each other
[2]

$ smfit bench --cpu --precision fp32 --precision fp16
2> smfit: nothing of what was asked for is measured in 'fp16'; --list shows all
[2]

$ smfit bench --list --assume v100 --shape 64,64,64 --precision fp64
2> smfit: nothing of what was asked for is measured in 'fp64'; --list shows all
[2]

$ smfit bench --list --assume v100 --net lenet5 --precision fp16-storage --precision tc-fp16
2> smfit: nothing of what was asked for is measured in 'tc-fp16'; --list shows all
[2]

$ smfit bench --list --assume 920m --quick --precision int32
2> smfit: nothing of what was asked for is measured in 'int32'; --list shows all
[2]

$ smfit bench --list --assume 920m --case 'ceiling/*' --precision fp64 | tail -1 | cut -d' ' -f2,6-
cases, on GeForce 920M

$ smfit bench --list --assume 920m --shape 8,8,8 --precision tc-fp16 | grep -c 'gemm.*tc-fp16.*needs compute capability 7.0'
1

$ smfit bench --list --assume 920m --shape 8,8,8 --case conv
2> smfit: no case fits 'conv'; --list shows all
[2]

$ smfit bench --list --assume 920m --net lenet5 --case ceiling
2> smfit: no case fits 'ceiling'; --list shows all
[2]

$ smfit bench --cpu --net lenet5 --shape 8,8,8
2> smfit: options '--shape' and '--net' exclude each other
[2]

$ smfit bench --list --assume 920m --net lenet5 --case conv | grep -v 'load/\|ceiling/\|case' | cut -c3-10 | sort -u
conv/5x5

$ smfit bench --cpu --shape 8,8,8 --batch 4
2> smfit: '--batch' is for networks, and none would be measured
[2]

$ smfit bench --cpu --quick --batch 4
2> smfit: '--batch' is for networks, and none would be measured
[2]

$ smfit bench --cpu --net resnet
2> smfit: network 'resnet' may be resnet18, resnet34, resnet50
[2]

$ smfit bench --cpu --net no-such-net
2> smfit: no network 'no-such-net' is known; the nearest is 'alexnet'
[2]

$ smfit bench --cpu --net ./tiny.net
2> smfit: '--net' takes a built-in network here, not the file './tiny.net', whose layers 'smfit size --measure --net FILE' measures
[2]

$ smfit bench --cpu --case no-such-case
2> smfit: no case fits 'no-such-case'; --list shows all
[2]

$ smfit bench --assume 920m
2> smfit: '--assume' is for '--list'; '--virtual' runs on a card that is not here
[2]

$ smfit bench --list --assume sm_35
2> smfit: a plan is made by a card's figures, and 'sm_35' is an architecture; 'smfit cards' names cards
[2]

$ smfit bench --list --assume 920m --assume 940m
2> smfit: a plan is made for one card
[2]

$ smfit bench --list --assume 920m --cpu
2> smfit: a plan is made for one place: '--assume' excludes '--cpu', '--virtual' and '--device'
[2]

$ smfit bench --list --assume 920m --virtual 940m
2> smfit: a plan is made for one place: '--assume' excludes '--cpu', '--virtual' and '--device'
[2]

$ smfit bench --list --assume 920m --json | grep basis
  "basis": "modelled",

$ smfit bench --list --assume 920m --out file
2> smfit: '--list' measures nothing that could be written
[2]

$ smfit bench --cpu --virtual 920m
2> smfit: '--cpu' measures on no device
[2]

$ smfit bench --csv --json | grep message
      "message": "options '--csv' and '--json' exclude each other",
2> smfit: options '--csv' and '--json' exclude each other

$ smfit bench --out a --resume b
2> smfit: options '--out' and '--resume' exclude each other
[2]

$ smfit bench file
2> smfit: 'bench' has no use for 'file' without '--compare'
[2]

$ smfit bench --compare file
2> smfit: '--compare' needs two files
[2]

$ smfit bench --compare file file
2> smfit: cannot open 'file': No such file or directory
[1]

$ printf '{"schema":"smfit.bench","version":2,"rows":[]}' >later.json; smfit bench --compare later.json data/bench/after.jsonl
2> smfit: 'later.json': its rows are of version 2, and this program reads version 1
[1]

$ sed '1s/"version":1/"version":7/' data/bench/after.jsonl >later.jsonl; smfit bench --compare data/bench/before.jsonl later.jsonl
2> smfit: 'later.jsonl': its rows are of version 7, and this program reads version 1
[1]

$ smfit bench --resume later.jsonl
2> smfit: 'later.jsonl': its rows are of version 7, and this program reads version 1
[1]

$ smfit bench --resume file
2> smfit: cannot open 'file': No such file or directory
[1]

$ smfit bench --resume data/partly.so
2> smfit: 'data/partly.so': it holds no benchmark
[1]

$ smfit bench --no-such-option
2> smfit: unknown option '--no-such-option'
[2]

## two runs beside each other: one of them was interrupted
$ smfit bench --compare data/bench/before.jsonl data/bench/after.jsonl
  case  shape              precision  by        first, ms  second, ms  ratio  verdict
  gemm  NN 64x64x64        fp32       openblas          1       1.001  1.001  same
  gemm  NN 128x128x128     fp32       openblas          2         1.5  0.750  faster
  gemm  NN 256x256x256     fp32       openblas          4           5  1.250  slower
  gemm  NN 512x512x512     fp32       openblas          8           9  1.125  ambiguous
  gemm  NN 1024x1024x1024  fp32       openblas         64           -         only in the first
  gemm  NN 32x32x32        fp32       openblas      error         0.5         no time
  gemm  NN 2048x2048x2048  fp32       openblas          -         512         only in the second
1 same, 1 faster, 1 slower, 1 ambiguous (changes of 2 % or less are the same)

$ smfit bench --compare --lang zh data/bench/before.jsonl data/bench/after.jsonl
  项目  形状               精度  实现      前者（毫秒）  后者（毫秒）   比值  判定
  gemm  NN 64x64x64        fp32  openblas             1         1.001  1.001  相同
  gemm  NN 128x128x128     fp32  openblas             2           1.5  0.750  更快
  gemm  NN 256x256x256     fp32  openblas             4             5  1.250  更慢
  gemm  NN 512x512x512     fp32  openblas             8             9  1.125  无法判定
  gemm  NN 1024x1024x1024  fp32  openblas            64             -         只在前者中
  gemm  NN 32x32x32        fp32  openblas         error           0.5         没有时间
  gemm  NN 2048x2048x2048  fp32  openblas             -           512         只在后者中
1 项相同，1 项更快，1 项更慢，1 项无法判定（变化不超过 2% 视为相同）

$ for f in before after; do sed 's/"basis":"measured"/"basis":"simulated"/' data/bench/$f.jsonl >$f.jsonl; done; smfit bench --compare before.jsonl after.jsonl | tail -3
1 same, 1 faster, 2 slower, 0 ambiguous (changes of 2 % or less are the same)
Simulated: the times in 'before.jsonl' are a model's, not a card's.
Simulated: the times in 'after.jsonl' are a model's, not a card's.

$ smfit bench --compare data/bench/before.jsonl after.jsonl | tail -1
Simulated: the times in 'after.jsonl' are a model's, not a card's.

$ smfit bench --compare --json data/bench/before.jsonl after.jsonl | grep basis
  "basis": "simulated",

$ smfit bench --compare data/bench/before.jsonl data/bench/after.jsonl | wc -l
9

## what a run elsewhere has written is not gone on with, and folders are folders
$ printf '{"schema":"smfit.bench.stream","version":1,"options":{"quick":false,"full":false,"cpu":true,"case":[],"precision":[],"shape":["8,8,8"],"net":[],"batch":[]},"on":"cpu","name":"a processor of 1971"}\n' >elsewhere.jsonl; smfit bench -q --resume elsewhere.jsonl
2> smfit: 'elsewhere.jsonl' is of another processor: a processor of 1971
[2]

$ smfit bench --cpu --lib-dir data/bench/before.jsonl
2> smfit: '--lib-dir' takes a folder, not 'data/bench/before.jsonl'
[2]

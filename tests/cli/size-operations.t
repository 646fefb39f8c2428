## single operations by the model of a card
$ smfit size --assume 920m --gemm 1760,16,1760 --gemm 1760,32,1760,tn --conv 56,56,64,8,64,3,3,1,1,1,1
GeForce 920M, by the model, without a measurement; times in ms
operation                       precision  pass                   ms  range           limited by
gemm 1760x16x1760 nn            fp32       product              1.03  0.599 ... 1.67  memory
gemm 1760x32x1760 tn            fp32       product              1.79  1.05 ... 2.91   latency
conv 56x56x64 n8, 64 of 3x3 /1  fp32       forward              2.22  1.1 ... 3.8     arithmetic
conv 56x56x64 n8, 64 of 3x3 /1  fp32       gradient of data     2.22  1.1 ... 3.8     arithmetic
conv 56x56x64 n8, 64 of 3x3 /1  fp32       gradient of weights  5.47  2.71 ... 9.37   arithmetic

$ smfit size --assume 920m --precision int8 --gemm 100,100,100
GeForce 920M, by the model, without a measurement; times in ms
operation            precision  pass     ms  limited by
gemm 100x100x100 nn  int8       product   -  the card has no arithmetic of this precision
[3]

$ smfit size --assume 3.5 --gemm 100,100,100
sm_35, by the model, without a measurement; times in ms
operation            precision  pass     ms  limited by
gemm 100x100x100 nn  fp32       product   -  the card's multiprocessors, clock or bandwidth are not in the tables
[3]

$ smfit size --assume 'titan x (pascal)' --calibrate 8448,48000,2816=224.092 --gemm 4096,128,4096
TITAN X (Pascal), by the model, calibrated with one measurement; times in ms
operation              precision  pass        ms  range           limited by
gemm 4096x128x4096 nn  fp32       product  0.703  0.471 ... 1.05  arithmetic

## a table: rows in its order, other columns passed through, comments and empty lines
$ printf 'note\tprecision\tm\tn\tk\ttrans_a\ttrans_b\ttime_ms\n# a comment\na\tfp32\t512\t16\t512\tN\tT\t0.076\n\nb\tfp8\t512\t16\t512\tN\tN\t\n' >shapes.tsv; smfit size --assume 'gtx titan x' --shapes shapes.tsv --json | grep -vE '_ms": [0-9.]+,?$' | sed -n '/"calibration"/,$p'
  "calibration": null,
  "calibration_reason": "--calibrate was not given",
  "rows": [
    {
      "note": "a",
      "precision": "fp32",
      "m": 512,
      "n": 16,
      "k": 512,
      "trans_a": "N",
      "trans_b": "T",
      "time_bound": "latency"
    },
    {
      "note": "b",
      "precision": "fp8",
      "m": 512,
      "n": 16,
      "k": 512,
      "trans_a": "N",
      "trans_b": "N",
      "given_time_ms": null,
      "time_ms": null,
      "time_ms_reason": "the model does not know this precision"
    }
  ],
  "errors": []
}

## a column that is called like an answer gets another name, which no other column has
$ printf 'm\tn\tk\tgiven_time_ms\ttime_ms\tforward_ms\n8\t8\t8\t1\t2\t3\n' >given.tsv; smfit size --assume 920m --shapes given.tsv --json | grep 'given\|forward'
    "driver_reason": "none was given",
      "driver_reason": "none was given",
  "calibration_reason": "--calibrate was not given",
      "given_time_ms": 1,
      "given_given_time_ms": 2,
      "given_forward_ms": 3,

## what is off is named, with its line
$ printf 'm\tn\tk\n1\t2\t3\n# a comment\n\n1\t0\t3\n' >zero.tsv; smfit size --assume 920m --shapes zero.tsv
2> smfit: 'zero.tsv', line 5: n is '0', not a size from 1
[2]

$ printf 'm\tn\tk\n1\t2\n' >short.tsv; smfit size --assume 920m --shapes short.tsv
2> smfit: 'short.tsv': line 2 of the table has 2 fields, not 3
[2]

$ printf 'm\tn\n1\t2\n' >columns.tsv; smfit size --assume 920m --shapes columns.tsv
2> smfit: 'columns.tsv' has neither the columns m, n, k nor width, height, in_channels, batch, ...
[2]

$ printf 'm\tn\tk\ttrans_a\n1\t2\t3\tx\n' >letter.tsv; smfit size --assume 920m --shapes letter.tsv
2> smfit: 'letter.tsv', line 2: trans_a is 'x', not N or T
[2]

$ : >empty.tsv; smfit size --assume 920m --shapes empty.tsv
2> smfit: 'empty.tsv' is empty
[2]

$ printf 'm\tn\tk\tm\n1\t2\t3\t4\n' >twice.tsv; smfit size --assume 920m --shapes twice.tsv
2> smfit: 'twice.tsv' has two columns 'm'
[2]

$ seq -s '	' 300 >wide.tsv; smfit size --assume 920m --shapes wide.tsv
2> smfit: 'wide.tsv' has more than 256 columns
[2]

$ { printf 'm\tn\tk\n'; yes "$(printf '1\t1\t1')" | head -100001; } >long.tsv; smfit size --assume 920m --shapes long.tsv
2> smfit: 'long.tsv' has more than 100000 rows
[1]

$ smfit size --assume 920m --shapes nowhere.tsv
2> smfit: cannot open 'nowhere.tsv': No such file or directory
[1]

$ smfit size --assume 920m --gemm 1,2,3,nq
2> smfit: --gemm: matrix product '1,2,3,nq': behind the sizes stands nn, nt, tn or tt
[2]

$ smfit size --assume 920m --gemm 1,2,3,nn,4
2> smfit: --gemm: matrix product '1,2,3,nn,4': behind the sizes stands nn, nt, tn or tt
[2]

$ smfit size --assume 920m --gemm 0,2,3
2> smfit: --gemm: matrix product '0,2,3': three sizes from 1 to 268435456, as in 1760,128,1760,nn
[2]

$ smfit size --assume 920m --conv 1,2,3
2> smfit: --conv: convolution '1,2,3': eleven sizes W,H,C,N,K,S,R,PADW,PADH,STRIDEW,STRIDEH from 1 (padding from 0) to 268435456
[2]

$ smfit size --assume 920m --gemm 1,2,3 --calibrate 100,100,100
2> smfit: --calibrate '100,100,100': the time is missing, as in 1760,128,1760,nn=0.315
[2]

$ smfit size --assume 920m --gemm 1,2,3 --calibrate 100,100,100=-1
2> smfit: --calibrate '100,100,100=-1': '-1' is no time in milliseconds
[2]

$ for t in 0 nan inf -inf 1e-400 0x1p3 1e9 ''; do smfit size --assume 920m --gemm 1,2,3 --calibrate "100,100,100=$t"; done
2> smfit: --calibrate '100,100,100=0': '0' is no time in milliseconds
2> smfit: --calibrate '100,100,100=nan': 'nan' is no time in milliseconds
2> smfit: --calibrate '100,100,100=inf': 'inf' is no time in milliseconds
2> smfit: --calibrate '100,100,100=-inf': '-inf' is no time in milliseconds
2> smfit: --calibrate '100,100,100=1e-400': '1e-400' is no time in milliseconds
2> smfit: --calibrate '100,100,100=0x1p3': '0x1p3' is no time in milliseconds
2> smfit: --calibrate '100,100,100=1e9': '1e9' is no time in milliseconds
2> smfit: --calibrate '100,100,100=': '' is no time in milliseconds
[2]

## 2 * 4096^3 flop in 100 ms are 1374 GFLOP/s: more than any 920M (732.7), and no wonder for a GTX 1050
$ smfit size --assume 920m --gemm 1,2,3 --calibrate 4096,4096,4096=100
2> smfit: --calibrate '4096,4096,4096=100': in that time the card would do 1374 GFLOP/s, and its data sheet has 733 in fp32
[2]

$ smfit size --assume 920m --gemm 1,2,3 --calibrate 4096,4096,4096=100 --precision fp16-mixed
2> smfit: --calibrate '4096,4096,4096=100': in that time the card would do 1374 GFLOP/s, and its data sheet has 733 in fp16-mixed
[2]

$ smfit size --assume 3.5 --gemm 1,2,3 --calibrate 4096,4096,4096=100
sm_35, by the model, calibrated with one measurement; times in ms
operation      precision  pass     ms  limited by
gemm 1x2x3 nn  fp32       product   -  the card's multiprocessors, clock or bandwidth are not in the tables
[3]

$ smfit size --assume 'gtx 1050' --gemm 1,2,3 --calibrate 4096,4096,4096=100
GeForce GTX 1050, by the model, calibrated with one measurement; times in ms
operation      precision  pass          ms  range                limited by
gemm 1x2x3 nn  fp32       product  0.00421  0.00282 ... 0.00627  latency

$ smfit size --assume 920m --gemm 1,2,3 --precision fp128
2> smfit: precision 'fp128' is none that the model knows
[2]

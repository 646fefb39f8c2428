## files of others: names in them cannot steer the terminal, and a drawing with them is well-formed
$ printf 'net \033[31m\377<&\ninput 3x8x8\n\033[2Jc relu\n' >steer.net; smfit size --net ./steer.net --assume 920m --layers --plot steer.svg | sed -n 's/  *3x8x8.*//p'; grep -o '<text[^>]*>[^<]*x1b.*' steer.svg
\x1b[31m\xff<&: 0.00 parameters, 0.00 multiply-adds an image, input
  \x1b[2Jc  relu
<text x="70.0" y="20.0" text-anchor="start">\x1b[31m\xff&lt;&amp;, GeForce 920M, training (modelled)</text>

## what an editor of Windows puts in front of a file and behind its lines
$ printf '\357\273\277input 3x8x8\r\nc relu\r\n' >mark.net; smfit size --net ./mark.net --assume 920m | sed -n 2p
mark.net: 0.00 parameters, 0.00 multiply-adds an image, input 3x8x8

$ printf '\357\273\277m\tn\tk\r\n1\t2\t3\r\n' >mark.tsv; smfit size --assume 920m --shapes mark.tsv | tail -n 1 | cut -c 1-20
gemm 1x2x3 nn  fp32 

## sizes that nothing has: 2^38 times 2^28 is 4 modulo 2^64
$ printf 'input 524288x524288x268435456\nc relu\n' >wrap.net; smfit size --net ./wrap.net --assume 920m
2> smfit: './wrap.net': line 1: layer 'input' is larger than any real one
[1]

$ printf 'input 65536x2048x2048\nc conv out=65536 kernel=3\n' >macs.net; smfit size --net ./macs.net --assume 920m
2> smfit: './macs.net': line 2: layer 'c' is larger than any real one
[1]

$ smfit size --assume 920m --conv 56,56,64,8,64,3,3,1,1,268435456,268435456 | cut -c 1-58
GeForce 920M, by the model, without a measurement; times i
operation                               precision  pass   
conv 56x56x64 n8, 64 of 3x3 /268435456  fp32       forward
conv 56x56x64 n8, 64 of 3x3 /268435456  fp32       gradien
conv 56x56x64 n8, 64 of 3x3 /268435456  fp32       gradien

## options that say something about what is not asked
$ smfit size --assume 920m --gemm 1,1,1 --batch 4
2> smfit: option '--batch' is for networks, not for single operations
[2]

$ smfit size --assume 920m --gemm 1,1,1 --plot drawing.svg
2> smfit: option '--plot' is for networks, not for single operations
[2]

$ smfit size --assume 920m --net lenet5 --calibrate 1760,128,1760=1.2
2> smfit: option '--calibrate' is for single operations, not for networks
[2]

$ smfit size --assume 920m --net lenet5 --budget 0x600MB
2> smfit: option '--budget' takes a size such as 1500MB or 1.5GiB, not '0x600MB'
[2]

## a file that may not grow is like a full disk
$ (ulimit -f 0; smfit size --assume 920m --net lenet5 --plot limit.svg 2>&1 >/dev/null; echo $?) | cat
smfit: cannot write 'limit.svg': File too large
1

## an image need not be square; what is no size is named
$ smfit size --assume 920m --net resnet18 --image 224x448 --infer | sed -n 2p
resnet18: 11.7 million parameters, 3.63 billion multiply-adds an image, input 3x224x448

$ for i in 0 x 224x x448 224x448x3 -1x5 224x99999 99999999999999999999999999999999999999; do smfit size --assume 920m --net resnet18 --image $i; done
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '0'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not 'x'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '224x'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not 'x448'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '224x448x3'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '-1x5'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '224x99999'
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '99999999999999999999999999999999999999'
[2]

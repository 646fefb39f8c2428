## what cannot be read is said in one line, and the rest goes on
$ smfit inspect -q --sysroot nothing missing specimens/cuda118.sm_35.cubin
specimens/cuda118.sm_35.cubin: cubin, 2.0 KiB
  arch   images    bytes  toolkit
  sm_35       1  2.0 KiB  11.8

total: 1 file, 1 with GPU code, 1 container, 1 image, 2.0 KiB
2> smfit: cannot open 'missing': No such file or directory
[1]

$ smfit inspect -q --sysroot nothing fifo
2> smfit: cannot read 'fifo': it is a FIFO
[1]

$ smfit inspect -q --sysroot nothing /dev/null
2> smfit: cannot read '/dev/null': it is a device
[1]

$ smfit inspect -q --sysroot nothing --json missing
{
  "schema": "smfit.inspect",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "target": null,
  "targets": [],
  "files": [],
  "verdicts": [],
  "packages": [],
  "total": {
    "file_count": 0,
    "gpu_file_count": 0,
    "container_count": 0,
    "image_count": 0,
    "bytes": 0,
    "files_by_verdict": []
  },
  "errors": [
    {
      "code": "io",
      "message": "cannot open 'missing': No such file or directory",
      "path": "missing",
      "offset": null
    }
  ]
}
2> smfit: cannot open 'missing': No such file or directory
[1]

## 1 wins over 3
$ smfit inspect --assume 920m missing specimens/cuda130.fatbin | tail -3; echo "${PIPESTATUS[0]}"

total: 1 file, 1 with GPU code, 1 container, 3 images, 7.3 KiB
  GeForce 920M (3.5), last driver 470.256.02: files that do not run: 1
1
2> smfit: cannot open 'missing': No such file or directory

## a file that breaks off
$ head -c 3000 specimens/cuda118.fatbin >cut.fatbin; smfit inspect -q --sysroot nothing cut.fatbin
cut.fatbin: fatbin, 1 container, 2 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  compute_35       1    436 B  7.8      lz4
2> smfit: cut.fatbin: at byte 2680: file ends inside a fat binary entry that states 2248 bytes
[1]

$ head -c 3000 specimens/cuda118.fatbin >cut.fatbin; smfit inspect -q --json --sysroot nothing cut.fatbin | grep -A7 '"errors"'
  "errors": [
    {
      "code": "format",
      "message": "file ends inside a fat binary entry that states 2248 bytes",
      "path": "cut.fatbin",
      "offset": 2680
    }
  ]
2> smfit: cut.fatbin: at byte 2680: file ends inside a fat binary entry that states 2248 bytes

$ head -c 2500 specimens/demo-1.0-py3-none-any.whl >cut.whl; smfit inspect -q --sysroot nothing cut.whl
cut.whl: 2 files, none with GPU code
2> smfit: cut.whl!demo/lib/libdemo.so: at byte 2500: damaged zip archive: it ends early
[1]

## names from outside cannot steer the terminal
$ n=$(printf 'a\033[31mb\377.fatbin'); cp specimens/cuda118.fatbin "$n"; smfit inspect -q --sysroot nothing "$n" | head -1
a\x1b[31mb\xff.fatbin: fatbin, 1 container, 3 images, 4.8 KiB

$ n=$(printf 'a\033[31mb\377.fatbin'); smfit inspect -q --sysroot nothing "$n"
a\x1b[31mb\xff.fatbin: fatbin, 1 container, 3 images, 4.8 KiB
  arch        images    bytes  PTX ISA  compression  toolkit
  sm_35            1  2.0 KiB                        11.8
  sm_50            1  2.1 KiB                        11.8
  compute_35       1    436 B  7.8      lz4

$ n=$(printf 'a\033[31mb\377.fatbin'); cp specimens/cuda118.fatbin "$n"; smfit inspect -q --sysroot nothing --json "$n" | grep '"path"'
      "path": "a\u001B[31mb\\xff.fatbin",

## output that cannot be written
$ smfit archs >/dev/full
2> smfit: cannot write to standard output: No space left on device
[1]

$ smfit cards --json 920m >/dev/full
2> smfit: cannot write to standard output: No space left on device
[1]

$ smfit inspect --sysroot nothing specimens/cuda118.fatbin >/dev/full
2> smfit: no NVIDIA GPU found (PCI scan); --assume CARD, for example --assume 920m, gives a verdict
2> smfit: cannot write to standard output: No space left on device
[1]

$ smfit inspect -q --sysroot nothing - <&-
2> smfit: -: cannot read: Bad file descriptor
[1]

$ smfit --version >&-
2> smfit: cannot write to standard output: Bad file descriptor
[1]

$ smfit inspect -q --sysroot nothing specimens/cuda118.fatbin >&-
2> smfit: cannot write to standard output: Bad file descriptor
[1]

## colour: on a terminal only, and as asked
$ smfit --color=always --assume 920m | head -1 | cat -v
^[[1mGeForce 920M^[[0m (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 470.256.02 (CUDA 11.4)

$ NO_COLOR=1 smfit --color=always --assume 920m | head -1 | cat -v
^[[1mGeForce 920M^[[0m (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 470.256.02 (CUDA 11.4)

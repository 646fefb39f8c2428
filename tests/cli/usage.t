## a wrong option or command: one line, the nearest name, exit code 2
$ smfit --jsno
2> smfit: unknown option '--jsno'; did you mean '--json'?
[2]

$ smfit inspct file
2> smfit: unknown command 'inspct'; did you mean 'inspect'?
[2]

$ smfit cards --verbos 920m
2> smfit: unknown option '--verbos'; did you mean '--verbose'?
[2]

$ smfit frobnicate
2> smfit: unknown command 'frobnicate'; 'smfit --help' lists the commands
[2]

$ smfit -x
2> smfit: unknown option '-x'
[2]

$ smfit inspect -vx file
2> smfit: unknown option '-x'
[2]

$ smfit --lang
2> smfit: option '--lang' needs an argument: en|zh
[2]

$ smfit --lang fr cards
2> smfit: option '--lang' takes en|zh, not 'fr'
[2]

$ smfit --color=
2> smfit: option '--color' has an empty argument
[2]

$ smfit --json=1
2> smfit: option '--json' takes no argument
[2]

$ smfit inspect
2> smfit: 'inspect' needs FILE|DIR|-...; see 'smfit inspect --help'
[2]

$ smfit cards 920m 940m
2> smfit: 'cards' has no use for '940m'
[2]

$ smfit help nonsense
2> smfit: unknown command 'nonsense'; 'smfit --help' lists the commands
[2]

## an option that the command has no use for is refused, not ignored
$ smfit cards --assume 920m
2> smfit: 'cards' has no use for option '--assume'
[2]

$ smfit archs --sysroot /
2> smfit: 'archs' has no use for option '--sysroot'
[2]

## a card that is several, none, or badly described
$ smfit --assume gt730
2> smfit: --assume: card 'gt730' is several: GeForce GT 730 (GF108, 2.1), GeForce GT 730 (GK107, 3.0), GeForce GT 730 (GK208B, 3.5); name the chip or the PCI id
[2]

$ smfit --assume 'GT 730 (GK208B)' | head -1
GeForce GT 730 (10de:1287, GK208B)   compute capability 3.5   2 GB   driver 470.256.02 (CUDA 11.4)

$ smfit --assume 920mz
2> smfit: --assume: no card '920mz' is known; did you mean 'GeForce 920M'?
[2]

$ smfit --assume sm_36
2> smfit: --assume: no compute capability 'sm_36' is known
[2]

$ smfit --assume 920m,driver=x
2> smfit: --assume: 'x' is no driver version such as 470.256.02
[2]

$ smfit --assume 920m,os=beos
2> smfit: --assume: 'os=beos' is neither linux nor windows
[2]

$ smfit inspect --assume '' file
2> smfit: option '--assume' has an empty argument
[2]

## "--" ends the options
$ smfit inspect --sysroot nothing -- --json
2> smfit: cannot open '--json': No such file or directory
[1]

## options may stand on either side of the command
$ smfit --json cards 10de:1299 | cmp - <(smfit cards 10de:1299 --json) && echo same
same

## a command line that is wrong still gives a document
$ smfit --json inspct
{
  "schema": "smfit.usage",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "errors": [
    {
      "code": "usage",
      "message": "unknown command 'inspct'; did you mean 'inspect'?",
      "path": null,
      "offset": null
    }
  ]
}
2> smfit: unknown command 'inspct'; did you mean 'inspect'?
[2]

$ smfit inspect --json
{
  "schema": "smfit.inspect",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "documented",
  "errors": [
    {
      "code": "usage",
      "message": "'inspect' needs FILE|DIR|-...; see 'smfit inspect --help'",
      "path": null,
      "offset": null
    }
  ]
}
2> smfit: 'inspect' needs FILE|DIR|-...; see 'smfit inspect --help'
[2]

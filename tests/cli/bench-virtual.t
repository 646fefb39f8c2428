## needs images and a virtual GPU

## of several devices one is measured, and which is said
$ smfit --virtual k80,940m bench --list --quick | tail -1 | cut -d' ' -f6-
on Tesla K80 (virtual)
2> smfit: of 2 devices Tesla K80 (virtual) alone is measured; --device names another

$ smfit --virtual k80,940m bench --list --quick --device 1 | tail -1 | cut -d' ' -f6-
on NVIDIA GeForce 940M (virtual)

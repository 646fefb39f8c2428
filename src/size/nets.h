/* The networks that are built in, in src/data/nets.tsv, named as torchvision names them. */
#ifndef SIZE_NETS_H
#define SIZE_NETS_H

#include "size/net.h"

/* How many, and their names in the order of the table. */
size_t nets_count(void);
const char *nets_name(size_t i);
/* Id of the sentence that says what it is: "net." and its name. */

/* By name or by a prefix that only one has; the exact name wins. `image`: in place of the usual one. ERR_USAGE names the nearest, or those that the prefix means, or
 * says that the image is too small. */
int nets_find(struct net *net, const char *name, struct net_image image, struct err *err);

#endif

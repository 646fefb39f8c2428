/* A library of the PTX compiler's name without its entry point: what a broken or half-installed
 * driver looks like to cuModuleLoadData. */
extern const int smfit_no_compiler;
const int smfit_no_compiler = 1;

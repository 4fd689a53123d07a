"""Compiled arithmetic over arrays: no input or output, no classes of the other packages.

Each family of searches has its folder, as in `stages.optimize`; what is only counting lies in `counting`. A kernel is
a plain function over arrays and scalars. Arrays that belong together are a `NamedTuple`, built by keyword; where
building takes more than naming the arrays, a function ``new_...`` beside it does so. Scalars that a kernel changes
are entries of an array, at places with a name such as ``PROFILES`` in `orders.insertion_ils`.

numba compiles a kernel anew for each combination of types, and a literal number such as 0 is a type of its own. So
every argument has one type: indices are int64 (``np.int64(0)``, ``np.int64(array[i])``), arrays are contiguous.

jit                decorators: machine code made in advance, or numba
native             machine code made in advance, and which is used
arguments          why a kernel refuses its arguments
compiler           numba's side: its settings, cache folder and dispatchers
compiler_settings  settings of numba that are refused
machine_code       late assembly
function_numbers   numbers that distinguish compiled functions of one name
random_generators  type of random generators: how Python passes them
cache_folder       where compiled kernels are stored, and whether that folder can be trusted
kernel_cache       compiled kernels on disk
arrays             copying entries
bits               sets of variables as words of 64 bits; transitive closure under new arcs
dominance          pruning of parent sets that a subset dominates
"""

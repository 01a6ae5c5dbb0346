// The source for which precompiled_fmt.hpp is compiled; the libraries that print share it.

// The source for which precompiled_upper.hpp is compiled. The libraries of scene, io and batch share this
// header.

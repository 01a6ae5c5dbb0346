// The source for which precompiled_upper.hpp is compiled; the rooms scene, io and batch share it.

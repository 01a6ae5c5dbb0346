// torsor_lanes compiles this file once for each instruction set.
#include "many_copies_field.hpp"
#include "torsor/batch/ensemble_kernels.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"

template struct torsor::LaneKernels<Satellite, torsor::RkmkNystrom4, torsor::compiled_isa>;
template struct torsor::LaneKernels<Satellite, torsor::RkmkDopri5, torsor::compiled_isa>;

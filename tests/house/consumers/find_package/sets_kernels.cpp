#include "sets.hpp"
#include "torsor/batch/ensemble_kernels.hpp"
#include "torsor/integrators/rkmk.hpp"

template struct torsor::LaneKernels<Growth, torsor::Rkmk4, torsor::compiled_isa>;

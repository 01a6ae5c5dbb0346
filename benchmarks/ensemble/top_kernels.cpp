#include "ensemble/tops.hpp"
#include "torsor/batch/ensemble_kernels.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"

namespace torsor {

template struct LaneKernels<bench::TopField, RkmkNystrom4, compiled_isa>;
template struct LaneKernels<bench::TopField, Rkmk4, compiled_isa>;
template struct LaneKernels<bench::TopField, RkmkDopri5, compiled_isa>;

}  // namespace torsor

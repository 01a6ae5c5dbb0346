#include "ensemble/tops.hpp"
#include "torsor/batch/ensemble_kernels.hpp"
#include "torsor/integrators/rkmk4.hpp"
#include "torsor/integrators/rkmk_dopri5.hpp"
#include "torsor/integrators/rkmk_nystrom4.hpp"

namespace torsor {

template struct LaneKernels<bench::TopField, RkmkNystrom4, compiled_isa>;
template struct LaneKernels<bench::TopField, Rkmk4, compiled_isa>;
template struct LaneKernels<bench::TopField, RkmkDopri5, compiled_isa>;

}  // namespace torsor

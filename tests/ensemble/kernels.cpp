#include "fields.hpp"
#include "torsor/batch/ensemble_kernels.hpp"
#include "torsor/integrators/cf4.hpp"
#include "torsor/integrators/rkmk4_two_brackets.hpp"
#include "torsor/integrators/rkmk_dop853.hpp"
#include "torsor/integrators/rkmk_dopri5.hpp"
#include "torsor/integrators/rkmk_nystrom4.hpp"

namespace torsor {

template struct LaneKernels<test::Top, RkmkNystrom4, compiled_isa>;
template struct LaneKernels<test::Top, Cf4, compiled_isa>;
template struct LaneKernels<test::Top, RkmkDopri5, compiled_isa>;
template struct LaneKernels<test::Top, RkmkDop853, compiled_isa>;
template struct LaneKernels<test::Frame, Cf4, compiled_isa>;
template struct LaneKernels<test::Frame, Rkmk4TwoBrackets, compiled_isa>;

}  // namespace torsor

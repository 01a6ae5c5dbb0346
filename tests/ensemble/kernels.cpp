#include "fields.hpp"
#include "torsor/batch/ensemble_kernels.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor {

template struct LaneKernels<test::Top, RkmkNystrom4, compiled_isa>;
template struct LaneKernels<test::Top, Cf4, compiled_isa>;
template struct LaneKernels<test::Top, RkmkDopri5, compiled_isa>;
template struct LaneKernels<test::Top, RkmkDop853, compiled_isa>;
template struct LaneKernels<test::Frame, Cf4, compiled_isa>;
template struct LaneKernels<test::Frame, Rkmk4TwoBrackets, compiled_isa>;
template struct LaneKernels<test::Overflow, RkmkDopri5, compiled_isa>;

}  // namespace torsor

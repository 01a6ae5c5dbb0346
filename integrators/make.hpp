#pragma once

#include <memory>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

// One factory function per method, defined in the source of the method.
std::unique_ptr<Stepper> make_lie_euler();
std::unique_ptr<Stepper> make_rkmk4();
std::unique_ptr<Stepper> make_rkmk_ck54();
std::unique_ptr<Stepper> make_rkmk_dopri5();
std::unique_ptr<Stepper> make_rkmk_fehlberg78();
std::unique_ptr<Stepper> make_rkmk_dopri8();
std::unique_ptr<Stepper> make_rkmk_dop853();
std::unique_ptr<Stepper> make_cf4();
std::unique_ptr<Stepper> make_cg3();
std::unique_ptr<Stepper> make_cg4();
std::unique_ptr<Stepper> make_lie_midpoint();
std::unique_ptr<Stepper> make_lie_verlet();
std::unique_ptr<Stepper> make_geodesic_verlet();
std::unique_ptr<Stepper> make_generalized_alpha(Treatment form);
std::unique_ptr<Stepper> make_hemk4();
std::unique_ptr<Stepper> make_hemk5();
std::unique_ptr<Stepper> make_bliedf1(Treatment form);
std::unique_ptr<Stepper> make_bliedf2(Treatment form);
std::unique_ptr<Stepper> make_bliedf3(Treatment form);
std::unique_ptr<Stepper> make_rattlie();

}  // namespace torsor

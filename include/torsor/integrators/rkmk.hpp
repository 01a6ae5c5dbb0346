#pragma once

/// Runge-Kutta-Munthe-Kaas methods: Rkmk4, RkmkCk54, RkmkDopri5 and RkmkFehlberg78.
#include "torsor/integrators/detail/rkmk_dopri5.hpp"
#include "torsor/integrators/detail/rkmk_fehlberg78.hpp"
#include "torsor/integrators/detail/rkmk_odeint.hpp"

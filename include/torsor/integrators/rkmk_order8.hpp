#pragma once

#include <array>
#include <cstddef>

#include "torsor/integrators/detail/explicit_pair.hpp"
#include "torsor/integrators/detail/munthe_kaas.hpp"
#include "torsor/integrators/detail/quotient.hpp"

namespace torsor {

namespace detail {

/// RK8(7)13M of Prince and Dormand, J. Comp. Appl. Math. 7 (1981) 67-75.
///
///   rows       a, row after row
///   weights    weights of order 8
///   embedded   weights of order 7
struct Dopri8Table {
  static constexpr int stages = 13, order = 8, error_order = 7;

  static constexpr long double a(std::size_t i, std::size_t j) { return rows[i * (i - 1) / 2 + j]; }
  static constexpr long double b(std::size_t j) { return weights[j]; }
  static constexpr long double c(std::size_t i) { return abscissae[i]; }
  static constexpr long double error(std::size_t j) { return weights[j] - embedded[j]; }

  // clang-format off
  static constexpr std::array<Quotient, 78> rows{{
      {1, 18},
      {1, 48}, {1, 16},
      {1, 32}, {0}, {3, 32},
      {5, 16}, {0}, {-75, 64}, {75, 64},
      {3, 80}, {0}, {0}, {3, 16}, {3, 20},
      {29443841, 614563906}, {0}, {0}, {77736538, 692538347}, {-28693883, 1125000000}, {23124283, 1800000000},
      {16016141, 946692911}, {0}, {0}, {61564180, 158732637}, {22789713, 633445777},
      {545815736, 2771057229}, {-180193667, 1043307555},
      {39632708, 573591083}, {0}, {0}, {-433636366, 683701615}, {-421739975, 2616292301},
      {100302831, 723423059}, {790204164, 839813087}, {800635310, 3783071287},
      {246121993, 1340847787}, {0}, {0}, {-37695042795, 15268766246}, {-309121744, 1061227803},
      {-12992083, 490766935}, {6005943493, 2108947869}, {393006217, 1396673457}, {123872331, 1001029789},
      {-1028468189, 846180014}, {0}, {0}, {8478235783, 508512852}, {1311729495, 1432422823},
      {-10304129995, 1701304382}, {-48777925059, 3047939560}, {15336726248, 1032824649},
      {-45442868181, 3398467696}, {3065993473, 597172653},
      {185892177, 718116043}, {0}, {0}, {-3185094517, 667107341}, {-477755414, 1098053517},
      {-703635378, 230739211}, {5731566787, 1027545527}, {5232866602, 850066563},
      {-4093664535, 808688257}, {3962137247, 1805957418}, {65686358, 487910083},
      {403863854, 491063109}, {0}, {0}, {-5068492393, 434740067}, {-411421997, 543043805},
      {652783627, 914296604}, {11173962825, 925320556}, {-13158990841, 6184727034},
      {3936647629, 1978049680}, {-160528059, 685178525}, {248638103, 1413531060}, {0},
  }};
  static constexpr std::array<Quotient, 13> weights{{
      {14005451, 335480064}, {0}, {0}, {0}, {0}, {-59238493, 1068277825}, {181606767, 758867731},
      {561292985, 797845732}, {-1041891430, 1371343529}, {760417239, 1151165299}, {118820643, 751138087},
      {-528747749, 2220607170}, {1, 4}}};
  static constexpr std::array<Quotient, 13> embedded{{
      {13451932, 455176623}, {0}, {0}, {0}, {0}, {-808719846, 976000145}, {1757004468, 5645159321},
      {656045339, 265891186}, {-3867574721, 1518517206}, {465885868, 322736535}, {53011238, 667516719},
      {2, 45}, {0}}};
  static constexpr std::array<Quotient, 13> abscissae{{
      {0}, {1, 18}, {1, 12}, {1, 8}, {5, 16}, {3, 8}, {59, 400}, {93, 200}, {5490023248, 9719169821},
      {13, 20}, {1201146811, 1299019798}, {1}, {1}}};
  // clang-format on
};

}  // namespace detail

/// The pair of order 8(7) of Prince and Dormand in the exponential chart: thirteen evaluations a step; the
/// integration continues from the solution of order 8. The error constant is far below that of Fehlberg's
/// pair, which has the same number of stages.
template <LieField F>
using RkmkDopri8 = MuntheKaas<F, ExplicitPair<detail::Dopri8Table, typename F::Tangent, typename F::Scalar>>;

namespace detail {

/// The method of order 8 of Dormand and Prince with the error estimators of orders 5 and 3 by Hairer and
/// Wanner: DOP853 of Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed. 1993, II.5 and II.10.
///
///   rows      a, row after row
///   weights   weights of order 8
///   fifth     difference of the weights of orders 8 and 5
///   third     weights of order 3
struct Dop853Table {
  static constexpr int stages = 12, order = 8, error_order = 7;

  static constexpr long double a(std::size_t i, std::size_t j) { return rows[i * (i - 1) / 2 + j]; }
  static constexpr long double b(std::size_t j) { return weights[j]; }
  static constexpr long double c(std::size_t i) { return abscissae[i]; }
  static constexpr long double error(std::size_t j) { return fifth[j]; }
  static constexpr long double coarse_error(std::size_t j) { return weights[j] - third[j]; }

  // clang-format off
  static constexpr std::array<long double, 66> rows{
      5.26001519587677318785587544488e-2L,
      1.97250569845378994544595329183e-2L, 5.91751709536136983633785987549e-2L,
      2.95875854768068491816892993775e-2L, 0, 8.87627564304205475450678981324e-2L,
      2.41365134159266685502369798665e-1L, 0, -8.84549479328286085344864962717e-1L,
      9.24834003261792003115737966543e-1L,
      3.7037037037037037037037037037e-2L, 0, 0, 1.70828608729473871279604482173e-1L,
      1.25467687566822425016691814123e-1L,
      3.7109375e-2L, 0, 0, 1.70252211019544039314978060272e-1L, 6.02165389804559606850219397283e-2L,
      -1.7578125e-2L,
      3.70920001185047927108779319836e-2L, 0, 0, 1.70383925712239993810214054705e-1L,
      1.07262030446373284651809199168e-1L, -1.53194377486244017527936158236e-2L,
      8.27378916381402288758473766002e-3L,
      6.24110958716075717114429577812e-1L, 0, 0, -3.36089262944694129406857109825L,
      -8.68219346841726006818189891453e-1L, 2.75920996994467083049415600797e1L,
      2.01540675504778934086186788979e1L, -4.34898841810699588477366255144e1L,
      4.77662536438264365890433908527e-1L, 0, 0, -2.48811461997166764192642586468L,
      -5.90290826836842996371446475743e-1L, 2.12300514481811942347288949897e1L,
      1.52792336328824235832596922938e1L, -3.32882109689848629194453265587e1L,
      -2.03312017085086261358222928593e-2L,
      -9.3714243008598732571704021658e-1L, 0, 0, 5.18637242884406370830023853209L,
      1.09143734899672957818500254654L, -8.14978701074692612513997267357L,
      -1.85200656599969598641566180701e1L, 2.27394870993505042818970056734e1L,
      2.49360555267965238987089396762L, -3.0467644718982195003823669022L,
      2.27331014751653820792359768449L, 0, 0, -1.05344954667372501984066689879e1L,
      -2.00087205822486249909675718444L, -1.79589318631187989172765950534e1L,
      2.79488845294199600508499808837e1L, -2.85899827713502369474065508674L,
      -8.87285693353062954433549289258L, 1.23605671757943030647266201528e1L,
      6.43392746015763530355970484046e-1L,
  };
  static constexpr std::array<long double, 12> weights{
      5.42937341165687622380535766363e-2L, 0, 0, 0, 0, 4.45031289275240888144113950566L,
      1.89151789931450038304281599044L, -5.8012039600105847814672114227L, 3.1116436695781989440891606237e-1L,
      -1.52160949662516078556178806805e-1L, 2.01365400804030348374776537501e-1L,
      4.47106157277725905176885569043e-2L,
  };
  static constexpr std::array<long double, 12> fifth{
      0.1312004499419488073250102996e-1L, 0, 0, 0, 0, -0.1225156446376204440720569753e1L,
      -0.4957589496572501915214079952L, 0.1664377182454986536961530415e1L, -0.3503288487499736816886487290L,
      0.3341791187130174790297318841L, 0.8192320648511571246570742613e-1L,
      -0.2235530786388629525884427845e-1L,
  };
  static constexpr std::array<long double, 12> third{
      31 / 127.L, 0, 0, 0, 0, 0, 0, 0, 12675 / 17272.L, 0, 0, 3 / 136.L,
  };
  static constexpr std::array<long double, 12> abscissae{
      0, 0.526001519587677318785587544488e-1L, 0.789002279381515978178381316732e-1L,
      0.118350341907227396726757197510L, 0.281649658092772603273242802490L, 1 / 3.L, 0.25L, 4 / 13.L,
      127 / 195.L, 0.6L, 6 / 7.L, 1,
  };
  // clang-format on
};

}  // namespace detail

/// DOP853 in the exponential chart: twelve evaluations a step, order 8, an error estimate proportional to h^8
/// (ExplicitPair). It needs fewer evaluations for the same error than the pairs of thirteen stages.
template <LieField F>
using RkmkDop853 = MuntheKaas<F, ExplicitPair<detail::Dop853Table, typename F::Tangent, typename F::Scalar>>;

}  // namespace torsor

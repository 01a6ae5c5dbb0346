#include "lie/samples.hpp"

#include "support/greatest.hpp"

namespace torsor {

double greatest(const Dense& a) { return test::greatest(a); }
double distance(const Dense& a, const Dense& b) { return greatest(a - b); }

Dense matrix_exp(const Dense& M) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide scaled = M.cast<long double>();
  int halvings = 0;
  for (; test::greatest(scaled) > 0.1; ++halvings) scaled /= 2;
  Wide sum = Wide::Identity(M.rows(), M.cols()), term = sum;
  for (int k = 1; k < 24; ++k) {
    term = (term * scaled / k).eval();
    sum += term;
  }
  for (int k = 0; k < halvings; ++k) sum = (sum * sum).eval();
  return sum.cast<double>();
}

}  // namespace torsor

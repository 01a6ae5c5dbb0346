#include "gmres.hpp"

namespace torsor::mechanics {

/// Extends the basis by column k + 1: the image of column k, orthogonalised against columns 0 to k and
/// normalised.
void Gmres::extend(int k) {
  auto column = triangle_.col(k);
  for (int i = 0; i <= k; ++i) {
    column[i] = basis_.col(i).dot(image_);
    image_ -= column[i] * basis_.col(i);
  }
  const double rest = image_.norm();
  for (int i = 0; i < k; ++i) {
    const double upper = column[i], lower = column[i + 1];
    column[i] = cosine_[i] * upper + sine_[i] * lower;
    column[i + 1] = cosine_[i] * lower - sine_[i] * upper;
  }
  const double length = Eigen::Vector2d(column[k], rest).stableNorm();
  cosine_[k] = length == 0 ? 1 : column[k] / length;
  sine_[k] = length == 0 ? 0 : rest / length;
  column[k] = length;
  left_[k + 1] = -sine_[k] * left_[k];
  left_[k] *= cosine_[k];
  if (rest > 0) image_ /= rest;
  basis_.col(k + 1) = image_;
}

void Gmres::combine(int k, Vec& x) {
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) left_[i] -= triangle_(i, j) * left_[j];
    left_[i] = triangle_(i, i) == 0 ? 0 : left_[i] / triangle_(i, i);
    x += left_[i] * basis_.col(i);
  }
}

}  // namespace torsor::mechanics

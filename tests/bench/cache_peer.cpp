// The loops of naive_matmul_pattern and tiled_matmul_pattern as a program that runs, for cachegrind. Compiled so that each element is
// loaded by itself. Usage: cache_peer naive|tiled N.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Matrix = std::vector<float>;

void naive(const Matrix& a, const Matrix& b, Matrix& c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

void tiled(const Matrix& a, const Matrix& b, Matrix& c, std::size_t n) {
  constexpr std::size_t tile = 32;
  for (std::size_t i0 = 0; i0 < n; i0 += tile) {
    for (std::size_t j0 = 0; j0 < n; j0 += tile) {
      for (std::size_t k0 = 0; k0 < n; k0 += tile) {
        for (std::size_t i = i0; i < std::min(i0 + tile, n); ++i) {
          for (std::size_t j = j0; j < std::min(j0 + tile, n); ++j) {
            float sum = c[i * n + j];
            for (std::size_t k = k0; k < std::min(k0 + tile, n); ++k)
              sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
          }
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto n = static_cast<std::size_t>(std::atoi(argv[2]));
  const Matrix a(n * n, 1.0F), b(n * n, 0.5F);
  Matrix c(n * n, 0.0F);
  (std::strcmp(argv[1], "naive") == 0 ? naive : tiled)(a, b, c, n);
  std::printf("%g\n", static_cast<double>(c[n * n - 1]));
  return 0;
}

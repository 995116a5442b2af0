// Kernels of the squared distance, with σ as in nysviz/kernels/radial.py; inverse distance has ε = 1. Those that have
// one also `slope`, the derivative in the squared distance.

const ofDistance = (profile, factor = 1) => (sigma) => {
  const scale = factor / sigma / sigma;
  return (square) => profile(Math.sqrt(scale * square));
};

export const KERNELS = {
  gaussian: {
    label: "Gaussian",
    make: (sigma) => {
      const scale = -0.5 / sigma / sigma;
      return (square) => Math.exp(scale * square);
    },
    slope: (sigma) => {
      const scale = -0.5 / sigma / sigma;
      return (square) => scale * Math.exp(scale * square);
    },
  },
  laplacian: { label: "Laplacian", make: ofDistance((r) => Math.exp(-r)) },
  // Beyond 1000 it is 0, where infinity times 0 would be NaN.
  matern32: {
    label: "Matérn 3/2",
    make: ofDistance((r) => (r < 1000 ? (1 + r) * Math.exp(-r) : 0), 3),
    slope: (sigma) => ofDistance((r) => (-1.5 / sigma / sigma) * Math.exp(-r), 3)(sigma),
  },
  inverse_distance: { label: "inverse distance", make: ofDistance((r) => 1 / (r + 1)) },
};

/** Squared distance of the i-th of some points, x and y pairs, from the j-th of others. */
export function squareBetween(points, i, others, j) {
  const x = points[2 * i] - others[2 * j];
  const y = points[2 * i + 1] - others[2 * j + 1];
  return x * x + y * y;
}

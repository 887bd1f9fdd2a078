// Kernels of the tests' model, as a compiler would make them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

typedef unsigned char u8;
typedef int i32;
typedef long i64;
typedef unsigned long u64;

enum { kPixels = 4, kClasses = 3 };

/// Whether training drops a pixel in this step: any function of (seed, step, element) will do.
static int dropped(const i64 *rng, i64 row, i64 pixel) {
  u64 bits = (u64)rng[0] * 0x9E3779B97F4A7C15ul + (u64)rng[1] * 0xBF58476D1CE4E5B9ul +
             (u64)(row * kPixels + pixel) * 0x94D049BB133111EBul;
  bits ^= bits >> 31;
  bits *= 0xD6E8FEB86659FD93ul;
  return (bits >> 60) == 0;
}

static void logitsOf(const u8 *x, const float *w, const i64 *rng, i64 row, float *z) {
  for (int j = 0; j < kClasses; ++j)
    z[j] = 0;
  for (int i = 0; i < kPixels; ++i)
    if (!rng || !dropped(rng, row, i))
      for (int j = 0; j < kClasses; ++j)
        z[j] += (float)x[i] * (1.0f / 255) * w[i * kClasses + j];
}

/// x [B,4] ui8, w [4,3], z [B,3], scratch: one row for each block.
void infer_row(void **buffers, i64 row) {
  float *scratch = buffers[3];
  logitsOf((const u8 *)buffers[0] + row * kPixels, buffers[1], 0, row, scratch);
  for (int j = 0; j < kClasses; ++j)
    ((float *)buffers[2])[row * kClasses + j] = scratch[j];
}

/// x, w, rng, z, scratch.
void train_row(void **buffers, i64 row) {
  float *scratch = buffers[4];
  logitsOf((const u8 *)buffers[0] + row * kPixels, buffers[1], buffers[2], row, scratch);
  for (int j = 0; j < kClasses; ++j)
    ((float *)buffers[3])[row * kClasses + j] = scratch[j];
}

static int best(const float *z) {
  int at = 0;
  for (int j = 1; j < kClasses; ++j)
    at = z[j] > z[at] ? j : at;
  return at;
}

/// Half the squared distance to the label's unit vector, averaged by weight; 1 per row without.
static float lossOf(const float *z, const u8 *y, const float *weights, i64 rows) {
  float sum = 0;
  float total = 0;
  for (i64 r = 0; r < rows; ++r) {
    float weight = weights ? weights[r] : 1;
    total += weight;
    for (int j = 0; j < kClasses; ++j) {
      float d = z[r * kClasses + j] - (y[r] == j);
      sum += weight * 0.5f * d * d;
    }
  }
  return sum / total;
}

static void accuracyOf(const float *z, const u8 *y, i64 rows, float *accuracy) {
  for (i64 r = 0; r < rows; ++r)
    accuracy[r] = best(z + r * kClasses) == y[r];
}

/// rows (i32), z, y, row weights; loss, accuracy.
void evaluate(void **b, i64 block) {
  i64 rows = *(i32 *)b[0];
  *(float *)b[4] = lossOf(b[1], b[2], b[3], rows);
  accuracyOf(b[1], b[2], rows, b[5]);
}

/// Adds the scaled gradient of the mean loss to `sum`.
static void addGradient(const u8 *x, const u8 *y, const float *z, const i64 *rng, float scale, const float *weights,
                        i64 rows, float *sum) {
  float total = 0;
  for (i64 r = 0; r < rows; ++r)
    total += weights ? weights[r] : 1;
  for (i64 r = 0; r < rows; ++r)
    for (int i = 0; i < kPixels; ++i)
      if (!dropped(rng, r, i))
        for (int j = 0; j < kClasses; ++j)
          sum[i * kClasses + j] += scale * (weights ? weights[r] : 1) / total * (float)x[r * kPixels + i] *
                                   (1.0f / 255) * (z[r * kClasses + j] - (y[r] == j));
}

struct Scaler {
  float *scale;
  i32 *tracker;
  i64 *rng;
  const float *learningRate;
  i32 *consecutive;
  i64 *skipped;
};

/// Unscales, checks as f16 would overflow, updates under the guard, moves the scale.
static void apply(float *w, const float *gradient, struct Scaler s, i32 *bad, float *scaleUsed) {
  *scaleUsed = *s.scale;
  *bad = -1;
  for (int i = 0; i < kPixels * kClasses; ++i)
    if (!(gradient[i] <= 65504.0f && gradient[i] >= -65504.0f))
      *bad = 0;
  if (*bad >= 0) {
    *s.scale = *s.scale * 0.5f < 1.0f ? 1.0f : *s.scale * 0.5f;
    *s.tracker = 0;
    *s.consecutive += 1;
    *s.skipped += 1;
    return;
  }
  for (int i = 0; i < kPixels * kClasses; ++i)
    w[i] -= *s.learningRate * (gradient[i] / *s.scale);
  s.rng[1] += 1;
  *s.consecutive = 0;
  *s.tracker += 1;
  if (*s.tracker == 20) {
    *s.tracker = 0;
    *s.scale *= 2;
  }
}

/// rows (i32), whether there are weights (i32), x, y, weights, z, learning_rate; w, loss_scale,
/// growth_tracker, rng, consecutive_skips, skipped_steps; loss, accuracy, bad, scale used.
void train_update(void **b, i64 block) {
  i64 rows = *(i32 *)b[0];
  const float *weights = *(i32 *)b[1] ? b[4] : 0;
  struct Scaler s = {b[8], b[9], b[10], b[6], b[11], b[12]};
  *(float *)b[13] = lossOf(b[5], b[3], weights, rows);
  accuracyOf(b[5], b[3], rows, b[14]);
  float gradient[kPixels * kClasses];
  for (int i = 0; i < kPixels * kClasses; ++i)
    gradient[i] = 0;
  addGradient(b[2], b[3], b[5], s.rng, *s.scale, weights, rows, gradient);
  apply(b[7], gradient, s, b[15], b[16]);
}

/// rows (i32), x, y, z, loss_scale, rng; gradient sum; loss, accuracy.
void accumulate_update(void **b, i64 block) {
  i64 rows = *(i32 *)b[0];
  *(float *)b[7] = lossOf(b[3], b[2], 0, rows);
  accuracyOf(b[3], b[2], rows, b[8]);
  addGradient(b[1], b[2], b[3], b[5], *(float *)b[4], 0, rows, b[6]);
}

/// learning_rate; gradient sum, w, loss_scale, growth_tracker, rng, consecutive_skips,
/// skipped_steps; bad, scale used. The sum is left.
void apply_update(void **b, i64 block) {
  struct Scaler s = {b[3], b[4], b[5], b[0], b[6], b[7]};
  apply(b[2], b[1], s, b[8], b[9]);
}

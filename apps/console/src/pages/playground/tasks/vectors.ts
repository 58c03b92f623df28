/** Of the angle between two vectors the cosine: 1 where they point the same way. Null where one has no direction. */
export function measureSimilarity(a: readonly number[], b: readonly number[]): number | null {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  const length = Math.sqrt(dot(a, a) * dot(b, b));
  return a.length !== b.length || length === 0 ? null : dot(a, b) / length;
}

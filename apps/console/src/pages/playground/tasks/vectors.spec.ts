import { measureSimilarity } from './vectors.ts';

test.each([
  [[1, 0], [2, 0], 1],
  [[1, 0], [0, 3], 0],
  [[1, 1], [-2, -2], -1],
  [[0, 0], [1, 1], null],
  [[1], [1, 1], null],
])('%j and %j are similar by %s', (a, b, similarity) => {
  const measured = measureSimilarity(a, b);
  if (similarity === null) expect(measured).toBeNull();
  else expect(measured).toBeCloseTo(similarity, 12);
});

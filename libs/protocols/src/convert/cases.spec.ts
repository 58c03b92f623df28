import { CASE_FILES, convertCase, toOutcome, findPairs, readCase, writeCase } from './golden/cases.ts';

const update = process.env['UPDATE_GOLDEN'] === '1';

describe.each(CASE_FILES)('%s', (file) => {
  const request = readCase(file);
  const pairs = findPairs(request);

  afterAll(() => {
    if (update) writeCase(file, request);
  });

  test.each(pairs)('$from to $to', ({ from, to, client }) => {
    const outcome = toOutcome(convertCase(from, to, client));
    if (update) client.to[to] = outcome;
    expect(outcome).toEqual(client.to[to]);
  });
});

test('the cases are at least forty and touch every pair of formats', () => {
  const touched = new Set(
    CASE_FILES.flatMap((file) => findPairs(readCase(file)).map(({ from, to }) => `${from} to ${to}`)),
  );
  expect(CASE_FILES.length).toBeGreaterThanOrEqual(40);
  expect(touched.size).toBe(16);
});

test('no case has an outcome for a pair that does not exist', () => {
  const strange = CASE_FILES.flatMap((file) => {
    const { clients } = readCase(file);
    return Object.entries(clients).flatMap(([from, client]) =>
      Object.keys(client.to).length === 4 && !(from in client.to) ? [] : [`${file}: ${from}`],
    );
  });
  expect(strange).toEqual([]);
});

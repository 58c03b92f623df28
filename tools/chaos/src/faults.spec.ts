import { FAULTS, planFaults } from './faults.ts';

test('a seed decides the faults, and another seed others', () => {
  expect(planFaults(7, 20, 60_000)).toEqual(planFaults(7, 20, 60_000));
  expect(planFaults(7, 20, 60_000)).not.toEqual(planFaults(8, 20, 60_000));
});

test.each([1, 2, 3, 4, 5])(
  'with seed %d the faults are in order, within the load, and every one has its turn',
  (seed) => {
    const planned = planFaults(seed, 3 * FAULTS.length, 60_000);
    const moments = planned.map(({ atMs }) => atMs);
    expect(planned).toHaveLength(3 * FAULTS.length);
    expect(moments).toEqual([...moments].sort((a, b) => a - b));
    expect(moments.every((atMs) => atMs >= 3_000 && atMs <= 57_000)).toBe(true);
    for (const fault of FAULTS) expect(planned.filter((each) => each.fault === fault)).toHaveLength(3);
  },
);

import { scheduleKills, VICTIMS } from './schedule.ts';

test('a seed decides the kills, and another seed others', () => {
  expect(scheduleKills(7, 20, 60_000)).toEqual(scheduleKills(7, 20, 60_000));
  expect(scheduleKills(7, 20, 60_000)).not.toEqual(scheduleKills(8, 20, 60_000));
});

test.each([1, 2, 3, 4, 5])(
  'with seed %d the kills are in order, within the load, and every part has its turn',
  (seed) => {
    const kills = scheduleKills(seed, 20, 60_000);
    const moments = kills.map(({ atMs }) => atMs);
    expect(kills).toHaveLength(20);
    expect(moments).toEqual([...moments].sort((a, b) => a - b));
    expect(moments.every((atMs) => atMs >= 3_000 && atMs <= 57_000)).toBe(true);
    for (const victim of VICTIMS)
      expect(kills.filter((kill) => kill.victim === victim).length).toBeGreaterThan(1);
  },
);

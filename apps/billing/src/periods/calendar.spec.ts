import fc from 'fast-check';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { monthIn } from './calendar.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

test.each([
  ['UTC', '2025-12', '2025-12-01T00:00', '2026-01-01T00:00'],
  ['UTC', '2024-02', '2024-02-01T00:00', '2024-03-01T00:00'],
  ['Europe/Berlin', '2025-03', '2025-02-28T23:00', '2025-03-31T22:00'],
  ['Europe/Berlin', '2025-10', '2025-09-30T22:00', '2025-10-31T23:00'],
  ['Asia/Kathmandu', '2025-10', '2025-09-30T18:15', '2025-10-31T18:15'],
  ['Asia/Kathmandu', '1986-01', '1985-12-31T18:30', '1986-01-31T18:15'],
  ['Pacific/Apia', '2011-12', '2011-12-01T10:00', '2011-12-31T10:00'],
  ['America/Sao_Paulo', '2018-02', '2018-02-01T02:00', '2018-03-01T03:00'],
  ['America/Sao_Paulo', '2018-11', '2018-11-01T03:00', '2018-12-01T02:00'],
  // Midnight comes twice on the first, and on another first not at all.
  ['America/Havana', '2026-11', '2026-11-01T04:00', '2026-12-01T05:00'],
  ['America/Asuncion', '2017-10', '2017-10-01T04:00', '2017-11-01T03:00'],
])('in %s %s goes from %s to %s', async (timeZone, month, from, to) => {
  expect(await monthIn(environment.database.manager, month, timeZone)).toEqual({
    from: `${from}:00.000Z`,
    to: `${to}:00.000Z`,
  });
});

test('every instant is within the month that the clocks show', async () => {
  const zones = [
    'Africa/Cairo',
    'Africa/Casablanca',
    'America/Asuncion',
    'America/Havana',
    'America/Sao_Paulo',
    'Antarctica/Troll',
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Atlantic/Azores',
    'Australia/Lord_Howe',
    'Pacific/Apia',
  ];
  const hour = 3_600_000;
  // Half of the instants are within hours of the beginning of a month, where it matters.
  const instant = fc
    .tuple(
      fc.integer({ min: 2000, max: 2037 }),
      fc.integer({ min: 0, max: 11 }),
      fc.oneof(
        fc.integer({ min: -16 * hour, max: 16 * hour }),
        fc.integer({ min: -400 * hour, max: 400 * hour }),
      ),
    )
    .map(([year, month, offset]) => new Date(Date.UTC(year, month) + offset));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...zones), instant, async (timeZone, at) => {
      const [clock]: { month: string }[] = await environment.database.query(
        `SELECT to_char($1::timestamptz AT TIME ZONE $2, 'YYYY-MM') AS month`,
        [at, timeZone],
      );
      const { from, to } = await monthIn(environment.database.manager, clock?.month ?? '', timeZone);
      expect(Date.parse(from)).toBeLessThanOrEqual(at.getTime());
      expect(Date.parse(to)).toBeGreaterThan(at.getTime());
    }),
    { numRuns: 400 },
  );
});

import fc from 'fast-check';
import { addDays, dayIn, momentIn } from './clock.ts';

test.each([
  ['Asia/Shanghai', '2026-11-21T16:30:00Z', '2026-11-22'],
  ['America/Los_Angeles', '2026-11-22T07:59:59Z', '2026-11-21'],
  ['UTC', '2026-11-21T23:59:59Z', '2026-11-21'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01'],
])('in %s %s is of %s', (zone, at, day) => {
  expect(dayIn(zone, new Date(at))).toBe(day);
});

test.each([
  ['Asia/Shanghai', '2026-11-21T00:00', '2026-11-20T16:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T00:00', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-03-30T00:00', '2026-03-29T22:00:00.000Z'],
  // Skipped: the clocks go from 02:00 to 03:00.
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  // Twice: the first one counts.
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  // A day that begins at 01:00, as the clocks skip its first hour.
  ['Africa/Cairo', '2026-04-24T00:00', '2026-04-23T22:00:00.000Z'],
  // A day that never was.
  ['Pacific/Apia', '2011-12-30T00:00', '2011-12-30T10:00:00.000Z'],
])('in %s the clocks show %s at %s', (zone, shown, at) => {
  expect(momentIn(zone, shown).toISOString()).toBe(at);
});

test('a day begins in it, and what is before its beginning is of another, in every time zone', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days)),
      (zone, day) => {
        const start = momentIn(zone, `${day}T00:00`);
        expect(dayIn(zone, Number(start) - 1) < day).toBe(true);
        expect(dayIn(zone, start) >= day).toBe(true);
      },
    ),
  );
});

test.each([
  ['2026-02-28', 1, '2026-03-01'],
  ['2026-01-01', -1, '2025-12-31'],
])('%s and %i days are %s', (day, days, later) => {
  expect(addDays(day, days)).toBe(later);
});

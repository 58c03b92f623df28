import { bucketName, bucketTick } from './bucket-names.ts';

test.each([
  ['2026-11-20T23:00:00Z', 'hour', 'Europe/Berlin', '00:00', 'Sat, Nov 21, 00:00'],
  ['2026-11-20T23:00:00Z', 'day', 'Europe/Berlin', 'Nov 21', 'Sat, Nov 21'],
  ['2026-11-20T23:00:00Z', 'day', 'UTC', 'Nov 20', 'Fri, Nov 20'],
  ['2026-11-20T18:30:00Z', 'hour', 'Asia/Kolkata', '00:00', 'Sat, Nov 21, 00:00'],
] as const)('%s as a bucket of an %s in %s is "%s", in full "%s"', (iso, bucket, time_zone, tick, name) => {
  expect(bucketTick(iso, { bucket, time_zone }, 'en')).toBe(tick);
  expect(bucketName(iso, { bucket, time_zone }, 'en')).toBe(name);
});

import { zoneName } from './zone-name.ts';

test.each([
  ['Asia/Shanghai', 'Asia/Shanghai, GMT+8'],
  ['America/Los_Angeles', 'America/Los_Angeles, GMT-7'],
  ['UTC', 'UTC'],
])('%s is named %s in summer', (zone, name) => {
  expect(zoneName(zone, 'en', Date.parse('2026-07-01T00:00:00Z'))).toBe(name);
});

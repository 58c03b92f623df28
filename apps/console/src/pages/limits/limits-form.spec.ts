import type { CommonLimits } from '../../api/catalogue.ts';
import { isSame, toLimitsForm, toLimits } from './limits-form.ts';

const LIMITS: CommonLimits = {
  client: {},
  key: { requests_per_minute: 600, concurrent_requests: 20 },
  route: { gemini: { tokens_per_minute: 1_000_000 }, draw: { units_per_minute: { images: 60 } } },
};

test('limits come back from the form as they were', () => {
  expect(toLimits(toLimitsForm(LIMITS))).toEqual(LIMITS);
});

test('a route whose last limit is emptied is left out', () => {
  const form = toLimitsForm(LIMITS);
  expect(toLimits({ ...form, gemini: { ...form.gemini, tokens_per_minute: '' } }).route).toEqual({
    draw: { units_per_minute: { images: 60 } },
  });
});

test.each([
  ['another limit', { requests_per_minute: 601 }, false],
  ['one that is gone', { requests_per_minute: '' }, false],
  ['the same one as text', { requests_per_minute: '600' }, true],
])('a form with %s', (_, change, same) => {
  const form = toLimitsForm(LIMITS);
  expect(isSame(form, { ...form, key: { ...form.key, ...change } })).toBe(same);
});

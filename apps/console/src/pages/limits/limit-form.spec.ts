import { hasLimits, toLimitForm, toLimit } from './limit-form.ts';

test.each([
  [{}],
  [{ requests_per_minute: 60 }],
  [{ requests_per_minute: 60, tokens_per_minute: 1_000_000, concurrent_requests: 5 }],
  [{ concurrent_requests: 5, units_per_minute: { images: 10, audio_milliseconds: 60_000 } }],
])('%j comes out of the form as it went in', (limit) => {
  expect(toLimit(toLimitForm(limit))).toEqual(limit);
});

test('what is empty is no limit', () => {
  expect(toLimitForm({ tokens_per_minute: null })).toMatchObject({
    requests_per_minute: '',
    tokens_per_minute: '',
    concurrent_requests: '',
    images: '',
  });
  expect(hasLimits({ tokens_per_minute: null })).toBe(false);
  expect(hasLimits({ concurrent_requests: 1 })).toBe(true);
  expect(hasLimits({ units_per_minute: { images: 1 } })).toBe(true);
});

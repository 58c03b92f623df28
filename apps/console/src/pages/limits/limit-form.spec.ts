import { hasLimits, toLimitForm, toLimit } from './limit-form.ts';

test.each([
  [{}],
  [{ requests_per_minute: 60 }],
  [{ requests_per_minute: 60, tokens_per_minute: 1_000_000, concurrent_requests: 5 }],
])('%j comes out of the form as it went in', (limit) => {
  expect(toLimit(toLimitForm(limit))).toEqual(limit);
});

test('what is empty is no limit', () => {
  expect(toLimitForm({ tokens_per_minute: null })).toEqual({
    requests_per_minute: '',
    tokens_per_minute: '',
    concurrent_requests: '',
  });
  expect(hasLimits({ tokens_per_minute: null })).toBe(false);
  expect(hasLimits({ concurrent_requests: 1 })).toBe(true);
});

import { readRetryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': ' 0 ' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
  [{ 'retry-after': 'Friday, 02-Jan-26 03:04:35 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 0],
  [{ 'retry-after': '999999' }, 3_600_000],
  [{ 'retry-after-ms': '1500' }, 1_500],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7_000],
  [{ 'retry-after': ['3', '9'] }, 3_000],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '1e9' }, undefined],
  [{ 'retry-after': 'tomorrow' }, undefined],
  [{ 'retry-after': 'Friday' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('%j asks to wait %s ms', (headers, expected) => {
  expect(readRetryAfterMs(headers, NOW)).toBe(expected);
});

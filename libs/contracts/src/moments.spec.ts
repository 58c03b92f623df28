import type { z } from 'zod';
import { daySchema, momentSchema, monthSchema } from './moments.ts';

test.each<[string, z.ZodType, boolean]>([
  ['1900-01-01T00:00:00Z', momentSchema, true],
  ['2024-02-29T12:00:00.5+05:45', momentSchema, true],
  ['9999-12-31T23:59:59Z', momentSchema, true],
  ['1900-01-01T00:00:00+00:01', momentSchema, false],
  ['9999-12-31T23:59:59-00:01', momentSchema, false],
  ['0000-01-01T00:00:00Z', momentSchema, false],
  ['+010000-01-01T00:00:00Z', momentSchema, false],
  ['2026-02-30T00:00:00Z', momentSchema, false],
  ['2026-01-01T00:00:00', momentSchema, false],
  ['2024-02-29', daySchema, true],
  ['2026-02-29', daySchema, false],
  ['0000-01-01', daySchema, false],
  ['2026-12', monthSchema, true],
  ['2026-13', monthSchema, false],
  ['0000-01', monthSchema, false],
])('%s, case %#', (text, schema, isTaken) => {
  expect(schema.safeParse(text).success).toBe(isTaken);
});

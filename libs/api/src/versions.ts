import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineResource } from './route.ts';
import { entryDifference, hash, shownSnapshot } from './shown-catalogue.ts';

/** The number of a version in a path. */
const versionNumber = z
  .string()
  .regex(/^\d{1,9}$/, { error: ({ input }) => `There is no version "${String(input)}".` })
  .transform(Number)
  .meta({ examples: ['12'] });

/** A version as lists show it. */
const versionEntry = z
  .object({
    version: z.int(),
    hash,
    published_at: timestamp,
    actor: z.string().meta({ description: 'Who published it' }),
    reason: z.string(),
  })
  .meta({ id: 'VersionEntry', description: 'A version without what it says' });

const common = { method: 'GET', permission: 'catalogue:write' } as const;

export const versions = defineResource({
  listVersions: {
    ...common,
    path: '/api/catalogue/versions',
    summary: 'List versions, the newest first',
    query: z.object({
      before: z.coerce
        .number()
        .int()
        .positive()
        .max(2 ** 31 - 1)
        .optional()
        .meta({ description: '`next` of the page before', examples: [21] }),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    answer: z.object({
      items: z.array(versionEntry),
      next: z.int().nullable().meta({ description: '`before` of the next page; null where there is none' }),
    }),
  },
  findVersion: {
    ...common,
    path: '/api/catalogue/versions/at',
    summary: 'Tell which version held at a time',
    query: z.object({
      time: momentSchema
        .optional()
        .meta({ description: 'Without it now', examples: ['2026-11-01T00:00:00Z'] }),
    }),
    answer: versionEntry,
    errors: { 404: 'Nothing was published by then.' },
  },
  showVersion: {
    ...common,
    path: '/api/catalogue/versions/:version',
    summary: 'Show a version, without secrets',
    params: z.strictObject({ version: versionNumber }),
    answer: shownSnapshot,
  },
  compareVersions: {
    ...common,
    path: '/api/catalogue/versions/:a/diff/:b',
    summary: 'Tell what one version says otherwise than another',
    params: z.strictObject({ a: versionNumber, b: versionNumber }),
    answer: z.object({ from: z.int(), to: z.int(), differences: z.array(entryDifference) }),
  },
});

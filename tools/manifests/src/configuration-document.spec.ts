import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceConfigSchema } from '@tollgate/platform';
import { z } from 'zod';
import { configurationDocument, PROGRAMS, listSettings } from './configuration-document.ts';
import { ROOT } from './manifest.ts';

test('docs/configuration.md says what the schemas say; if not, run npm run docs', () => {
  expect(readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')).toBe(configurationDocument());
});

test.each(Object.entries({ ...PROGRAMS, 'every service': serviceConfigSchema }))(
  'each variable of %s has a meaning',
  (_name, schema) => {
    const settings = listSettings(schema);
    expect(settings.length).toBeGreaterThan(4);
    expect(settings.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  },
);

/** A number that nobody meant is refused by its name, before a timer or a buffer is made of it. */
test.each(Object.entries({ ...PROGRAMS, 'every service': serviceConfigSchema }))(
  'every number that %s reads has two ends',
  (_name, schema) => {
    for (const { name, values } of listSettings(schema).filter((each) => /\d/.test(each.values))) {
      expect([name, values]).toEqual([name, expect.stringMatching(/[\d,.]+ to [\d,.]+$/)]);
      for (const text of ['many', '-1', '99999999999999999999', 'NaN', 'Infinity'])
        expect([
          name,
          text,
          z
            .object({ it: (schema.shape as Record<string, z.ZodType>)[name] ?? z.never() })
            .safeParse({ it: text }).success,
        ]).toEqual([name, text, false]);
    }
  },
);

test('no default is a path of the machine that wrote the page', () => {
  const defaults = Object.values(PROGRAMS).flatMap(listSettings);
  expect(defaults.filter(({ fallback }) => fallback.includes('`/'))).toEqual([]);
});

test.each<[string, z.ZodType, string, string]>([
  ['a number between two', z.coerce.number().int().min(1).max(2_000).default(5), '`5`', '1 to 2,000'],
  ['a number above zero', z.coerce.number().int().positive(), 'required', 'more than 0'],
  ['a number from zero on', z.coerce.number().int().nonnegative().default(0), '`0`', '0 or more'],
  ['one of some words', z.enum(['a', 'b']).default('b'), '`b`', '`a`, `b`'],
  [
    'a word or a number',
    z.union([z.literal('no'), z.coerce.number().min(0).max(9)]),
    'required',
    '`no` or 0 to 9',
  ],
  ['what may be left out', z.string().optional(), 'none', ''],
  [
    'an empty list',
    z
      .string()
      .default('')
      .transform((text) => text.split(',').filter(Boolean)),
    'empty',
    '',
  ],
  ['a default in words', z.string().default('/here').meta({ default_text: 'there' }), 'there', ''],
])('%s is shown with its default and its bounds', (_what, type, fallback, values) => {
  expect(listSettings(z.object({ A: type }))).toEqual([{ name: 'A', fallback, values, meaning: '' }]);
});

test('every variable in the settings of manifests and containers is on the page', () => {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const named = globSync('k8s/**/settings.env', { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

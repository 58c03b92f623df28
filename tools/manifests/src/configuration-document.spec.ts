import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayConfigSchema } from '@tollgate/gateway/config';
import { loadConfig, serviceConfigSchema } from '@tollgate/platform';
import { z } from 'zod';
import { configurationDocument, PROGRAMS, listSettings } from './configuration-document.ts';
import { listWorkloads, ROOT } from './manifest.ts';
import { render } from './render.ts';
import { findComplaint, isSecret, listBadValues, listVariables, SCHEMAS } from './settings.ts';

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

const programs = Object.entries(SCHEMAS).filter(([program]) => program !== 'simulator/main');

/** Text that somebody else reads: a name, a file's place, what another party calls something. */
const ANY_TEXT = [
  'CONSOLE_DIR',
  'DEFAULT_GROUPS',
  'EXPORT_DIR',
  'EXPORT_S3_ACCESS_KEY',
  'EXPORT_S3_BUCKET',
  'EXPORT_S3_PREFIX',
  'EXPORT_S3_REGION',
  'EXPORT_S3_SECRET',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_SECOND_FACTOR',
  'SEED_ACCOUNT_NAME',
  'SEED_API_KEY',
  'SPOOL_DIR',
  'UPLOAD_DIR',
];

test.each(programs)('a bad value of any setting of %s is told by its name, in words', (_program, schema) => {
  for (const name of Object.keys(schema.shape)) {
    const bad = listBadValues(schema, name);
    expect([name, bad.length > 0]).toEqual([name, !ANY_TEXT.includes(name)]);
    for (const value of bad) {
      const said = findComplaint(schema, name, value) ?? '';
      expect(said).toMatch(
        new RegExp(`^The environment [^:\n]+:(?:\n  ${name}: (?:must|each|is) \\S[^\n]+)+$`),
      );
      expect(said).not.toMatch(/Invalid|expected|received|NaN|undefined/);
      // It may be a secret.
      if (value.length > 4) expect(said).not.toContain(value);
    }
  }
});

test.each(programs)(
  'a required setting of %s that is not there, or blank, is said to be so',
  (_program, schema) => {
    const required = listSettings(schema).filter(({ fallback }) => fallback === 'required');
    expect(required.length).toBeGreaterThan(0);
    for (const { name } of required)
      for (const value of [undefined, '', ' '])
        expect(findComplaint(schema, name, value)).toMatch(new RegExp(`\n  ${name}: is not set$`));
  },
);

test('the identity of a gateway can be shown to nobody, though an empty variable counts as none', () => {
  const hosts = (value: string) =>
    loadConfig(gatewayConfigSchema.pick({ AMBIENT_IDENTITY_HOSTS: true }), {
      AMBIENT_IDENTITY_HOSTS: value,
    }).AMBIENT_IDENTITY_HOSTS;
  expect(hosts('none')).toEqual([]);
  expect(hosts('')).toContain('.amazonaws.com');
  expect(hosts('.Example.com, a.b')).toEqual(['.example.com', 'a.b']);
});

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

test.each(Object.entries(PROGRAMS))(
  'Kubernetes has a place for every setting of %s: a Secret, or the ConfigMap that all others come from',
  async (name, own) => {
    const service = name.toLowerCase();
    const documents = await render('overlays/production');
    const containers = listWorkloads(documents).find((one) => one.name === service)?.containers ?? [];
    const variables = containers.flatMap((container) => listVariables(container, documents));
    const inSecrets = variables.filter(({ from }) => from?.kind === 'Secret').map(({ name: of }) => of);
    const settings = Object.keys({ ...serviceConfigSchema.shape, ...own.shape });
    // A component that is for some.
    const components = globSync('k8s/components/*/kustomization.yaml', { cwd: ROOT }).map((path) =>
      readFileSync(join(ROOT, path), 'utf8'),
    );
    const hasPlace = (setting: string) =>
      inSecrets.includes(setting) || components.some((text) => text.includes(`key: ${setting} }`));
    expect(settings.filter((setting) => isSecret(setting) && !hasPlace(setting))).toEqual([]);
    expect(inSecrets.filter((setting) => !isSecret(setting))).toEqual([]);
    expect(
      containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name)),
    ).toEqual([expect.stringMatching(new RegExp(`^${service}-settings`))]);
  },
  60_000,
);

test('every variable in the settings of manifests and containers is on the page', () => {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const named = globSync('k8s/**/settings.env', { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

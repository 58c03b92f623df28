import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocumentedSecrets } from './documented-secrets.ts';
import { type Manifest, ROOT } from './manifest.ts';
import { put, without } from './mutations.ts';
import { render } from './render.ts';
import { type DataPeers, type Stage, stageFaults } from './stages.ts';

const PAGE = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
const SECRETS = new Set(readDocumentedSecrets().keys());

/** The folders below `k8s` that a section of the page applies, in its order. */
function foldersApplied(section: string): readonly string[] {
  const [, text = ''] = PAGE.split(new RegExp(`^#+ ${section}$`, 'm'));
  const [, commands = ''] = /```sh\n([^`]+)```/.exec(text) ?? [];
  return [...commands.matchAll(/^kubectl apply -k k8s\/(\S+)/gm)].map(([, folder = '']) => folder);
}

const INSIDE: DataPeers = {
  postgres: { pod: { 'app.kubernetes.io/name': 'postgres', 'tollgate/role': 'postgres' } },
  redis: { pod: { 'app.kubernetes.io/name': 'redis', 'tollgate/role': 'redis' } },
};
/** As components/data-outside has them. */
const OUTSIDE: DataPeers = { postgres: { address: '10.20.0.5' }, redis: { address: '10.20.1.5' } };

const FIRST = foldersApplied('The first time');
const UPGRADE = foldersApplied('Upgrades');
const LOCAL = foldersApplied('On this machine');
const outside = (folders: readonly string[]) =>
  folders.map((folder) => folder.replace('overlays/production', 'overlays/without-operators'));
const keda = (folders: readonly string[]) =>
  folders.map((folder) => folder.replace(/overlays\/production$/, 'overlays/keda'));

const renderStages = (folders: readonly string[]): Promise<readonly Stage[]> =>
  Promise.all(folders.map(async (name) => ({ name, documents: await render(name) })));

test('the page says in which order folders are applied', () => {
  expect(FIRST).toEqual(['namespace', 'overlays/production/migrations', 'overlays/production']);
  expect(UPGRADE).toEqual(FIRST.slice(1));
  expect(LOCAL).toEqual(['overlays/local']);
});

describe('nothing waits for what a later stage brings', () => {
  test.each([
    ['production', FIRST, INSIDE],
    ['production with KEDA', keda(FIRST), INSIDE],
    ['production with its data outside', outside(FIRST), OUTSIDE],
    ['one machine', LOCAL, INSIDE],
  ])(
    '%s',
    async (_name, folders, peers) => {
      expect(stageFaults(await renderStages(folders), peers, SECRETS)).toEqual([]);
    },
    180_000,
  );
});

const LAST =
  (change: (documents: readonly Manifest[]) => readonly Manifest[], at: number) =>
  async (folders: readonly string[]) =>
    (await renderStages(folders)).map(({ name, documents }, index) => ({
      name,
      documents: index === at ? change(documents) : documents,
    }));

test.each([
  [
    'migrations without DNS',
    FIRST,
    INSIDE,
    LAST(put('NetworkPolicy/migrate', 'spec/egress/1'), 1),
    /migrations: Job\/migrate-billing may not ask DNS/,
  ],
  [
    'migrations without a way outside',
    outside(FIRST),
    OUTSIDE,
    LAST(without('NetworkPolicy/postgres-outside'), 1),
    /migrations: Job\/migrate-pricing may not go to PostgreSQL/,
  ],
  [
    'the policies of the base without DNS',
    FIRST,
    INSIDE,
    LAST(without('NetworkPolicy/dns'), 2),
    /production: StatefulSet\/gateway may not ask DNS/,
  ],
  [
    'a gateway without its policy',
    FIRST,
    INSIDE,
    LAST(without('NetworkPolicy/gateway'), 2),
    /StatefulSet\/gateway may not go to Redis/,
  ],
  [
    'migrations without their account',
    FIRST,
    INSIDE,
    LAST(without('ServiceAccount/migrate'), 1),
    /Job\/migrate-billing has no account migrate/,
  ],
  [
    'services without settings',
    FIRST,
    INSIDE,
    LAST(without('ConfigMap/billing-settings'), 2),
    /Deployment\/billing has no ConfigMap billing-settings/,
  ],
] as const)(
  '%s is found',
  async (_name, folders, peers, change, said) => {
    expect(stageFaults(await change(folders), peers, SECRETS).join('\n')).toMatch(said);
  },
  180_000,
);

test('a namespace that comes later, and a Secret that nobody makes, are found', async () => {
  const stages = await renderStages(FIRST);
  expect(stageFaults(stages.slice(1, 2), INSIDE, SECRETS)).toContain(
    'overlays/production/migrations: Job/migrate-billing has no namespace yet',
  );
  expect(stageFaults(stages, INSIDE, new Set())).toContain(
    'overlays/production/migrations: Job/migrate-billing has no Secret tollgate-owner',
  );
});

import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ofKind, ROOT } from './manifest.ts';
import { mayReach } from './network-reachability.ts';
import { POLICIES } from './policies.ts';
import { readDocumentedSecrets } from './documented-secrets.ts';
import { parseDocuments, EXAMPLES, kustomize, KUSTOMIZATIONS } from './render.ts';

const BILLING = { 'app.kubernetes.io/name': 'billing', 'app.kubernetes.io/part-of': 'tollgate' };
const PAGE = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
const folders = globSync('k8s/**/kustomization.yaml', { cwd: ROOT }).map(dirname);
const textOf = (pattern: string) =>
  globSync(pattern, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');

test('every folder that can be applied is rendered by these tests', () => {
  const appliable = folders.filter((folder) =>
    readFileSync(join(ROOT, folder, 'kustomization.yaml'), 'utf8').includes('kind: Kustomization'),
  );
  const parts = ['gateway', 'billing', 'pricing'].map((service) => `k8s/base/${service}`);
  expect(appliable.filter((folder) => !parts.includes(folder)).sort()).toEqual(
    KUSTOMIZATIONS.map((name) => `k8s/${name}`).sort(),
  );
  expect(globSync('k8s/examples/*', { cwd: ROOT }).sort()).toEqual(
    EXAMPLES.map((name) => `k8s/examples/${name}`).sort(),
  );
});

test('every component is part of something that is rendered', () => {
  const used = textOf('k8s/overlays/**/kustomization.yaml') + PAGE;
  const components = folders.filter((folder) => folder.startsWith('k8s/components/'));
  expect(components.length).toBeGreaterThan(5);
  expect(
    components.filter(
      (folder) => !used.includes(folder.replace('k8s/', '../../')) && !used.includes(`../path/to/${folder}`),
    ),
  ).toEqual([]);
});

test('the page names every folder, and none that is not there', () => {
  const named = [...PAGE.matchAll(/^\| `(k8s\/[^`]+)`/gm)].map(([, folder = '']) => folder);
  expect(named.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
  const inside = /^k8s\/(?:base|overlays\/production)\//;
  expect(folders.filter((folder) => !inside.test(folder) && !named.includes(folder))).toEqual([]);
});

test('every Secret and key that the page asks for is used', () => {
  const manifests = textOf('k8s/**/*.yaml');
  const documented = readDocumentedSecrets();
  expect(documented.size).toBeGreaterThan(6);
  expect([...documented.keys()].filter((name) => !manifests.includes(name))).toEqual([]);
  // What CloudNativePG and an Ingress read of a Secret is their own convention.
  const conventional = ['tollgate-postgres-owner', 'tollgate-tls'];
  const keys = [...documented].filter(([name]) => !conventional.includes(name)).flatMap(([, list]) => list);
  expect(keys.filter((key) => !manifests.includes(`key: ${key}`))).toEqual([]);
});

test("a folder of one's own, as the page shows it, keeps every rule and has its own names in it", async () => {
  const [, text = ''] = /```yaml\n(# tollgate\/kustomization\.yaml\n[^`]+)```/.exec(PAGE) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-own-'));
  try {
    const sources = relative(folder, join(ROOT, 'k8s'));
    const own = text.replaceAll('../path/to/k8s', sources);
    expect(own).toContain(`${sources}/overlays/production`);
    writeFileSync(join(folder, 'kustomization.yaml'), own);
    const made = await kustomize(folder);
    const documents = parseDocuments(made);
    const documented = readDocumentedSecrets();
    expect(POLICIES.flatMap(({ faults }) => faults({ documents, documented }))).toEqual([]);
    expect(made).toContain('runbook_url: https://wiki.example.net/tollgate/TollgateLedgerOutOfBalance.md');
    expect(made).not.toContain('docs.tollgate.example');
    expect(made).toContain('OIDC_ISSUER: https://login.example.net/');
    expect(mayReach(documents, BILLING, { address: '93.184.215.14' }, 443)).toBe(true);
    expect(ofKind<{ hostnames: string[] }>(documents, 'HTTPRoute').map(({ spec }) => spec.hostnames)).toEqual(
      [['ai.example.net']],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test('packages, images and the commands of the page have one version', () => {
  const packages = globSync(['package.json', '{apps,libs,tools}/*/package.json'], { cwd: ROOT }).map(
    (path) => {
      const { version } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { version: string };
      return [path, version] as const;
    },
  );
  const TAG =
    /(?:tollgate\/[\w$]+:(?:\$\{TOLLGATE_VERSION:-)?|newTag: |ARG VERSION=|\\nversion: )(\d+\.\d+\.\d+)/g;
  const files = globSync(['docker/*', 'k8s/**/*.yaml', 'docs/kubernetes.md'], { cwd: ROOT });
  const tags = files
    .filter((path) => statSync(join(ROOT, path)).isFile())
    .flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(TAG)].map(
        ([, version]) => [path, version] as const,
      ),
    );
  expect([packages.length > 15, tags.length > 20]).toEqual([true, true]);
  const [[, version] = []] = packages;
  expect([...packages, ...tags].filter(([, one]) => one !== version)).toEqual([]);
});

test('images are built with the list of what is in them, and with where they come from', () => {
  const [build = ''] = /docker buildx build[^`]+/.exec(PAGE) ?? [];
  for (const part of ['--sbom=true', '--provenance=mode=max', 'REVISION=$(git rev-parse HEAD)'])
    expect(build).toContain(part);
});

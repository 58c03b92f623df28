import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';

export const ROOT = join(import.meta.dirname, '..', '..', '..');

/** One document that `kubectl apply` would be given. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
  };
  readonly spec?: unknown;
  /** Of a ConfigMap or a Secret. */
  readonly data?: Readonly<Record<string, string>>;
}

export type Labels = Readonly<Record<string, string>>;

/** Something that runs pods. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
  readonly labels: Labels;
  readonly replicas: number | undefined;
  readonly pod: IPodSpec;
  readonly containers: readonly IContainer[];
  /** Whether it runs until it is stopped, unlike a Job. */
  readonly stays: boolean;
}

/** `Kind/name`, as messages name a document. */
export const toName = (manifest: Manifest): string => `${manifest.kind}/${manifest.metadata.name}`;

/** The documents of one kind; the caller knows the shape of their `spec`. */
export function ofKind<Spec = unknown>(
  documents: readonly Manifest[],
  kind: string,
): readonly (Manifest & { readonly spec: Spec })[] {
  return documents.filter((one): one is Manifest & { readonly spec: Spec } => one.kind === kind);
}

const STAYS = ['Deployment', 'StatefulSet'];

/** Whatever runs pods among the documents. */
export function listWorkloads(documents: readonly Manifest[]): readonly Workload[] {
  return [...STAYS, 'Job'].flatMap((kind) =>
    ofKind<{ replicas?: number; template: { metadata?: { labels?: Labels }; spec: IPodSpec } }>(
      documents,
      kind,
    ).map(({ metadata, spec }) => ({
      kind,
      name: metadata.name,
      labels: spec.template.metadata?.labels ?? {},
      replicas: spec.replicas,
      pod: spec.template.spec,
      containers: [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers],
      stays: STAYS.includes(kind),
    })),
  );
}

/** Which program of ours a container runs: `apps/<service>/bundle/<program>.js`; undefined for anything else. */
export function findProgram(container: IContainer): { service: string; program: string } | undefined {
  const match = /^apps\/([a-z]+)\/bundle\/([a-z-]+)\.js$/.exec(container.args?.[0] ?? '');
  const [, service, program] = match ?? [];
  if (service === undefined || program === undefined) return undefined;
  return existsSync(join(ROOT, 'apps', service, 'src', `${program}.ts`)) ? { service, program } : undefined;
}

/** What a selector asks for; only the parts that our manifests use. */
export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Whether labels are those that a selector asks for. An empty selector takes everything. */
export function selects(selector: Selector, labels: Labels): boolean {
  const named = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return (
    named &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return operator === 'Exists' ? value !== undefined : value === undefined;
    })
  );
}

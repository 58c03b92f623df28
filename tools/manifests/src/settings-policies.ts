import type { IContainer } from 'kubernetes-models/v1';
import { type Manifest, toName, ofKind, findProgram, type Workload, listWorkloads } from './manifest.ts';
import type { ManifestSet, Policy } from './policy.ts';
import { isSecret, readSettings, type Variable, listVariables } from './settings.ts';

interface Program {
  readonly workload: Workload;
  readonly container: IContainer;
  /** Such as `gateway/main`; undefined for a program that is not ours. */
  readonly program: string | undefined;
  readonly variables: readonly Variable[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly faults: readonly string[];
}

function programsOf(documents: readonly Manifest[]): readonly Program[] {
  return listWorkloads(documents).flatMap((workload) =>
    workload.containers.map((container) => {
      const found = findProgram(container);
      const program = found && `${found.service}/${found.program}`;
      const variables = listVariables(container, documents);
      const read = program ? readSettings(program, variables) : { settings: {}, faults: [] };
      return { workload, container, program, variables, ...read };
    }),
  );
}

const eachProgram =
  (faults: (program: Program, set: ManifestSet) => readonly string[]): Policy['faults'] =>
  (set) =>
    programsOf(set.documents).flatMap((program) =>
      faults(program, set).map((fault) => `${program.workload.kind}/${program.workload.name}: ${fault}`),
    );

/** Whether a ConfigMap or Secret has a key; a Secret may be one that whoever installs it makes. */
function hasKey({ documents, documented }: ManifestSet, kind: string, name: string, key: string): boolean {
  const made = ofKind(documents, kind).find(({ metadata }) => metadata.name === name);
  return made ? key in (made.data ?? {}) : kind === 'Secret' && (documented.get(name) ?? []).includes(key);
}

/** What environments, and what refers to them, must be. */
export const SETTINGS_POLICIES: readonly Policy[] = [
  {
    name: 'programs of ours are named by a file that is built',
    // The image of the command takes a command line.
    faults: eachProgram(({ container, program }) =>
      /(?:^|\/)tollgate\/(?!cli:)/.test(container.image ?? '') && !program
        ? [`"${container.args?.[0] ?? ''}" is no program`]
        : [],
    ),
  },
  {
    name: 'every variable is a setting of its program, and together they let it start',
    faults: eachProgram(({ faults }) => faults),
  },
  {
    name: 'every key that is referred to is in its ConfigMap or Secret, or is one that the documentation asks for',
    faults: eachProgram(({ container, variables }, set) => [
      ...variables.flatMap(({ from }) =>
        from && !from.optional && !hasKey(set, from.kind, from.name, from.key)
          ? [`${from.kind}/${from.name} has no ${from.key}`]
          : [],
      ),
      ...(container.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => {
        const isThere = ofKind(set.documents, 'ConfigMap').some(
          ({ metadata }) => metadata.name === configMapRef?.name,
        );
        return isThere && !secretRef ? [] : ['envFrom names what is not there'];
      }),
    ]),
  },
  {
    name: 'secrets are in Secrets',
    faults: eachProgram(({ variables, workload }) =>
      variables.flatMap(({ name, value }) =>
        value !== undefined && isSecret(name) && workload.name !== 'simulator'
          ? [`${name} stands in the open`]
          : [],
      ),
    ),
  },
  {
    name: 'container ports are those that the program listens on',
    faults: eachProgram(({ container, program, settings }) => {
      if (!program?.endsWith('/main') || program.startsWith('simulator')) return [];
      const listens = [settings['PORT'], settings['TCP_PORT']].filter((port) => port !== undefined);
      const declared = (container.ports ?? []).map(({ containerPort }) => containerPort);
      return JSON.stringify(listens) === JSON.stringify(declared)
        ? []
        : [`it listens on ${listens.join(', ')}, and the manifest says ${declared.join(', ')}`];
    }),
  },
  {
    name: 'a service listens for other pods',
    faults: eachProgram(({ program, settings }) =>
      program?.endsWith('/main') && settings['HOST'] !== '0.0.0.0' ? ['HOST is not 0.0.0.0'] : [],
    ),
  },
  {
    name: 'addresses of other services are Services with that port',
    faults: eachProgram(({ variables }, { documents }) =>
      variables.flatMap(({ name, value = '' }) => {
        if (!/^(?:BILLING|PRICING|SIMULATOR)_.*URL$/.test(name)) return [];
        const { hostname, port } = new URL(value);
        const service = ofKind<{ ports: { port: number }[] }>(documents, 'Service').find(
          ({ metadata }) => metadata.name === hostname,
        );
        return service?.spec.ports.some((one) => String(one.port) === port)
          ? []
          : [`${name} is ${value}, and there is no such Service`];
      }),
    ),
  },
  {
    name: 'a pod is given longer to stop than it may take, and others learn of it first',
    faults: eachProgram(({ workload, container, program, settings }) => {
      if (!program?.endsWith('/main') || program.startsWith('simulator')) return [];
      const sleep = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      const drain = Number(settings['DRAIN_S'] ?? 0);
      // While requests still come, a gateway goes on for as long again.
      const max = sleep + 2 * drain + Number(settings['SHUTDOWN_GRACE_S']);
      const given = workload.pod.terminationGracePeriodSeconds ?? 30;
      const probe = container.readinessProbe;
      const noticed = (probe?.periodSeconds ?? 10) * (probe?.failureThreshold ?? 3);
      return [
        ...(given > max ? [] : [`it may take ${max} s and is given ${given}`]),
        ...(sleep + drain >= noticed
          ? []
          : [`it goes after ${sleep + drain} s, and is looked at for ${noticed}`]),
      ];
    }),
  },
  {
    name: 'second factors have a key of their own, and passkeys the address that browsers see',
    faults: eachProgram(({ program, variables, settings }, { documents }) => {
      if (program !== 'billing/main') return [];
      const key = variables.find(({ name }) => name === 'FACTOR_SEAL_KEY')?.from;
      const gateway = programsOf(documents).find((one) => one.program === 'gateway/main');
      const [own, seen] = [settings['PUBLIC_URL'], gateway?.settings['PUBLIC_URL']];
      return [
        ...(key && !key.optional
          ? []
          : ['FACTOR_SEAL_KEY is not required: without it apps end with SESSION_SECRET']),
        ...(seen === undefined || seen === own
          ? []
          : [`PUBLIC_URL is ${String(own)}, and ${String(seen)} for gateways`]),
      ];
    }),
  },
  {
    name: 'what a program writes to is a volume, and the spool of more than one gateway is a disk that is kept',
    faults: eachProgram(({ workload, container, program, settings }, { documents }) => {
      if (!program?.endsWith('/main')) return [];
      const directories = [settings['SPOOL_DIR'], settings['UPLOAD_DIR'], settings['EXPORT_DIR']].filter(
        (one) => typeof one === 'string',
      );
      return directories.flatMap((directory) => {
        const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === directory);
        if (!mount) return [`nothing is mounted at ${directory}`];
        if (directory !== settings['SPOOL_DIR'] || workload.replicas === 1) return [];
        return keepsClaim(documents, workload, mount.name) ? [] : [`${directory} goes with its pod`];
      });
    }),
  },
];

function keepsClaim(documents: readonly Manifest[], { kind, name }: Workload, volume: string): boolean {
  const set = ofKind<{
    volumeClaimTemplates?: { metadata: { name: string } }[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  }>(documents, 'StatefulSet').find((one) => toName(one) === `${kind}/${name}`);
  const retention = set?.spec.persistentVolumeClaimRetentionPolicy;
  return (
    (set?.spec.volumeClaimTemplates ?? []).some(({ metadata }) => metadata.name === volume) &&
    (retention?.whenDeleted ?? 'Retain') === 'Retain' &&
    (retention?.whenScaled ?? 'Retain') === 'Retain'
  );
}

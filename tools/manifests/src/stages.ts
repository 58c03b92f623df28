import { listWorkloads, type Manifest, ofKind, toName } from './manifest.ts';
import { mayReach, type Peer } from './network-reachability.ts';
import { listVariables } from './settings.ts';

/** One `kubectl apply` of an installation. */
export interface Stage {
  readonly name: string;
  readonly documents: readonly Manifest[];
}

/** Where an installation keeps its data. */
export interface DataPeers {
  readonly postgres: Peer;
  readonly redis: Peer;
}

const DNS: Peer = {
  namespace: { 'kubernetes.io/metadata.name': 'kube-system' },
  pod: { 'k8s-app': 'kube-dns' },
};

/**
 * What stops an installation half-way: each stage is judged by what has been applied until then, not by what will come.
 * On a network that enforces policies, a pod that no later stage may wait for cannot be let out by that stage.
 *
 * @param secrets the names of those that whoever installs it makes as soon as there is a namespace.
 */
export function stageFaults(
  stages: readonly Stage[],
  { postgres, redis }: DataPeers,
  secrets: ReadonlySet<string>,
): readonly string[] {
  return stages.flatMap(({ name, documents }, index) => {
    const applied = merge(stages.slice(0, index + 1));
    const has = (kind: string, of: string) =>
      ofKind(applied, kind).some(({ metadata }) => metadata.name === of);
    const missing = documents
      .filter(({ metadata }) => metadata.namespace !== undefined && !has('Namespace', metadata.namespace))
      .map((one) => `${toName(one)} has no namespace yet`);
    const stuck = listWorkloads(documents).flatMap((workload) => {
      const variables = workload.containers.flatMap((container) => listVariables(container, applied));
      const maps = workload.containers.flatMap(({ envFrom = [] }) =>
        envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
      );
      const needsMap = [
        ...maps,
        ...variables.flatMap(({ from }) => (from?.kind === 'ConfigMap' ? from.name : [])),
      ];
      const needsSecret = variables.flatMap(({ from }) =>
        from?.kind === 'Secret' && !from.optional ? from.name : [],
      );
      const names = new Set(variables.map((variable) => variable.name));
      const reaches = (to: Peer, port: number, protocol?: 'UDP') =>
        mayReach(applied, workload.labels, to, port, protocol);
      const account = workload.pod.serviceAccountName;
      return [
        ...(account === undefined || has('ServiceAccount', account) ? [] : [`has no account ${account}`]),
        ...needsMap.filter((one) => !has('ConfigMap', one)).map((one) => `has no ConfigMap ${one}`),
        ...needsSecret
          .filter((one) => !has('Secret', one) && !secrets.has(one))
          .map((one) => `has no Secret ${one}`),
        ...(reaches(DNS, 53, 'UDP') && reaches(DNS, 53) ? [] : ['may not ask DNS']),
        ...(!names.has('DATABASE_URL') || reaches(postgres, 5432) ? [] : ['may not go to PostgreSQL']),
        ...(!names.has('REDIS_URL') || reaches(redis, 6379) ? [] : ['may not go to Redis']),
      ].map((fault) => `${workload.kind}/${workload.name} ${fault}`);
    });
    return [...new Set([...missing, ...stuck])].map((fault) => `${name}: ${fault}`);
  });
}

/** What is in the cluster after some stages: of documents with one name the last. */
function merge(stages: readonly Stage[]): readonly Manifest[] {
  const documents = stages.flatMap((stage) => stage.documents);
  return [...new Map(documents.map((one) => [`${one.apiVersion} ${toName(one)}`, one])).values()];
}

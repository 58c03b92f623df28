import type { IContainer } from 'kubernetes-models/v1';
import { type Manifest, ofKind, type Selector, selects, type Workload, listWorkloads } from './manifest.ts';
import type { Policy } from './policy.ts';

/** A rule about each container of each pod. */
const eachContainer =
  (faults: (container: IContainer, workload: Workload) => readonly string[]): Policy['faults'] =>
  ({ documents }) =>
    listWorkloads(documents).flatMap((workload) =>
      workload.containers.flatMap((container) =>
        faults(container, workload).map(
          (fault) => `${workload.kind}/${workload.name} (${container.name}): ${fault}`,
        ),
      ),
    );

/** A rule about each pod. */
const eachPod =
  (faults: (workload: Workload, documents: readonly Manifest[]) => readonly string[]): Policy['faults'] =>
  ({ documents }) =>
    listWorkloads(documents).flatMap((workload) =>
      faults(workload, documents).map((fault) => `${workload.kind}/${workload.name}: ${fault}`),
    );

const unless = (holds: unknown, fault: string): readonly string[] => (holds ? [] : [fault]);

/** An image by a tag that does not move, or by its digest. */
const PINNED =
  /^[a-z0-9./_-]+(?::[0-9]+(?:\.[0-9]+)+[a-z0-9.-]*(?:@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$/;

/** What every pod must be. */
export const POD_POLICIES: readonly Policy[] = [
  {
    name: 'pods run as a numeric user that is not root, under the default seccomp profile',
    faults: eachPod(({ pod: { securityContext } }) => [
      ...unless(securityContext?.runAsNonRoot === true, 'runAsNonRoot is not true'),
      ...unless((securityContext?.runAsUser ?? 0) > 0, 'runAsUser is root or open'),
      ...unless(securityContext?.seccompProfile?.type === 'RuntimeDefault', 'seccomp is not RuntimeDefault'),
    ]),
  },
  {
    name: 'containers gain nothing and write nowhere but to volumes',
    faults: eachContainer(({ securityContext }) => [
      ...unless(securityContext?.readOnlyRootFilesystem === true, 'its root is writable'),
      ...unless(securityContext?.allowPrivilegeEscalation === false, 'it may escalate'),
      ...unless(securityContext?.privileged !== true, 'it is privileged'),
      ...unless(securityContext?.capabilities?.drop?.includes('ALL'), 'it keeps capabilities'),
      ...unless((securityContext?.capabilities?.add ?? []).length === 0, 'it adds capabilities'),
    ]),
  },
  {
    name: 'pods share nothing with their node',
    faults: eachPod(({ pod }) => [
      ...unless(!pod.hostNetwork && !pod.hostPID && !pod.hostIPC, 'it uses a namespace of the node'),
      ...unless(!pod.volumes?.some((volume) => volume.hostPath), 'it mounts a path of the node'),
    ]),
  },
  {
    name: 'containers say what CPU and memory they need, and have a limit of memory',
    faults: eachContainer(({ resources }) => [
      ...unless(resources?.requests?.['cpu'] !== undefined, 'no request of CPU'),
      ...unless(resources?.requests?.['memory'] !== undefined, 'no request of memory'),
      ...unless(resources?.limits?.['memory'] !== undefined, 'no limit of memory'),
    ]),
  },
  {
    name: 'volumes in memory or on the node have a limit',
    faults: eachPod(({ pod }) =>
      (pod.volumes ?? []).flatMap(({ name, emptyDir }) =>
        unless(!emptyDir || emptyDir.sizeLimit !== undefined, `the volume ${name} has no limit`),
      ),
    ),
  },
  {
    name: 'what stays has probes of its start, readiness and life',
    faults: eachContainer((container, { stays }) =>
      stays
        ? (['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((probe) =>
            unless(container[probe] !== undefined, `no ${probe}`),
          )
        : [],
    ),
  },
  {
    name: 'services are probed where they answer',
    faults: eachContainer((container, { name }) => {
      if (!['gateway', 'billing', 'pricing'].includes(name)) return [];
      return [
        ...unless(container.startupProbe?.httpGet?.path === '/healthz', 'startup is not /healthz'),
        ...unless(container.readinessProbe?.httpGet?.path === '/readyz', 'readiness is not /readyz'),
        ...unless(container.livenessProbe?.httpGet?.path === '/healthz', 'life is not /healthz'),
      ];
    }),
  },
  {
    name: 'pods of our services spread over zones and nodes',
    faults: eachPod(({ pod, name, labels, stays }) =>
      stays && ['gateway', 'billing', 'pricing'].includes(name)
        ? ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].flatMap((key) =>
            unless(
              pod.topologySpreadConstraints?.some(
                ({ topologyKey, labelSelector }) =>
                  topologyKey === key && labelSelector && selects(labelSelector as Selector, labels),
              ),
              `it may crowd on one ${key}`,
            ),
          )
        : [],
    ),
  },
  {
    name: 'images are pinned',
    faults: eachContainer(({ image = '' }) => unless(PINNED.test(image), `the image "${image}" may move`)),
  },
  {
    name: 'pods have no token of the cluster, and an account of their own where one is named',
    faults: eachPod(({ pod }, documents) => {
      const account = ofKind(documents, 'ServiceAccount').find(
        ({ metadata }) => metadata.name === pod.serviceAccountName,
      );
      const isOff = (account as { automountServiceAccountToken?: boolean } | undefined)
        ?.automountServiceAccountToken;
      return [
        ...unless(pod.automountServiceAccountToken === false, 'a token is mounted'),
        ...unless(pod.serviceAccountName === undefined || account, 'its account is not there'),
        ...unless(!account || isOff === false, 'its account mounts tokens'),
      ];
    }),
  },
];

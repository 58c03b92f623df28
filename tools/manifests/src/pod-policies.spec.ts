import { type MutationCase, put, tryMutation, without } from './mutations.ts';
import { POD_POLICIES } from './pod-policies.ts';

const POD = 'spec/template/spec';
const FIRST = `${POD}/containers/0`;
const GATEWAY = 'StatefulSet/gateway';

const MUTATIONS: readonly MutationCase[] = [
  ['pods run as a numeric user', 'base', put(GATEWAY, `${POD}/securityContext/runAsUser`, 0), /is root/],
  ['pods run as a numeric user', 'base', put(GATEWAY, `${POD}/securityContext/seccompProfile`), /seccomp/],
  [
    'containers gain nothing',
    'base',
    put(GATEWAY, `${FIRST}/securityContext/readOnlyRootFilesystem`),
    /writable/,
  ],
  [
    'containers gain nothing',
    'base',
    put('Deployment/billing', `${FIRST}/securityContext/capabilities/drop`, ['NET_RAW']),
    /keeps capabilities/,
  ],
  [
    'containers gain nothing',
    'migrations',
    put('Job/migrate-billing', `${FIRST}/securityContext/privileged`, true),
    /privileged/,
  ],
  [
    'pods of our services spread',
    'base',
    put(GATEWAY, `${POD}/topologySpreadConstraints/1`),
    /crowd on one kubernetes.io\/hostname/,
  ],
  [
    'pods of our services spread',
    'base',
    put('Deployment/billing', `${POD}/topologySpreadConstraints/0/labelSelector/matchLabels`, { a: 'b' }),
    /crowd on one topology.kubernetes.io\/zone/,
  ],
  ['pods share nothing', 'base', put(GATEWAY, `${POD}/hostNetwork`, true), /namespace of the node/],
  [
    'pods share nothing',
    'base',
    put(GATEWAY, `${POD}/volumes/0/hostPath`, { path: '/' }),
    /path of the node/,
  ],
  [
    'containers say what CPU',
    'base',
    put('Deployment/pricing', `${FIRST}/resources/limits`),
    /no limit of memory/,
  ],
  [
    'containers say what CPU',
    'base',
    put('Deployment/pricing', `${FIRST}/resources/requests/cpu`),
    /no request of CPU/,
  ],
  ['volumes in memory', 'base', put(GATEWAY, `${POD}/volumes/0/emptyDir`, {}), /tmp has no limit/],
  [
    'what stays has probes',
    'overlays/local',
    put('Deployment/simulator', `${FIRST}/livenessProbe`),
    /no livenessProbe/,
  ],
  [
    'services are probed',
    'base',
    put(GATEWAY, `${FIRST}/readinessProbe/httpGet/path`, '/healthz'),
    /not \/readyz/,
  ],
  ['images are pinned', 'base', put(GATEWAY, `${FIRST}/image`, 'tollgate/gateway:latest'), /may move/],
  ['images are pinned', 'base', put(GATEWAY, `${FIRST}/image`, 'tollgate/gateway'), /may move/],
  ['pods have no token', 'base', put(GATEWAY, `${POD}/automountServiceAccountToken`), /token is mounted/],
  ['pods have no token', 'base', without('ServiceAccount/billing'), /account is not there/],
  [
    'pods have no token',
    'base',
    put('ServiceAccount/pricing', 'automountServiceAccountToken', true),
    /mounts tokens/,
  ],
];

test.each(MUTATIONS)(
  '"%s" is broken in %s',
  async (...one) => {
    const { before, after } = await tryMutation(POD_POLICIES, one);
    expect(before).toEqual([]);
    expect(after.join('\n')).toMatch(one[3]);
  },
  180_000,
);

test('every rule can be broken', () => {
  const unbroken = POD_POLICIES.filter(({ name }) => !MUTATIONS.some(([policy]) => name.startsWith(policy)));
  expect(unbroken).toEqual([]);
});

import { type MutationCase, put, tryMutation, without } from './mutations.ts';
import { SETTINGS_POLICIES } from './settings-policies.ts';

const POD = 'spec/template/spec';
const FIRST = `${POD}/containers/0`;
const GATEWAY = 'StatefulSet/gateway';

const MUTATIONS: readonly MutationCase[] = [
  [
    'programs of ours',
    'base',
    put(GATEWAY, `${FIRST}/args`, ['apps/gateway/bundle/server.js']),
    /is no program/,
  ],
  [
    'every variable is a setting',
    'base',
    put('ConfigMap/gateway-settings', 'data/DRAIN_SECONDS', '5'),
    /no setting DRAIN_SECONDS/,
  ],
  [
    'every variable is a setting',
    'base',
    put('ConfigMap/gateway-settings', 'data/PRICING_TCP_URL'),
    /PRICING_TCP_URL/,
  ],
  [
    'every variable is a setting',
    'base',
    put('ConfigMap/billing-settings', 'data/SHUTDOWN_GRACE_S', 'long'),
    /SHUTDOWN_GRACE_S/,
  ],
  [
    'every key that is referred',
    'base',
    put(GATEWAY, `${FIRST}/env/1/valueFrom/secretKeyRef/key`, 'KEY'),
    /has no KEY/,
  ],
  ['every key that is referred', 'overlays/local', without('Secret/tollgate-billing'), /has no DATABASE_URL/],
  [
    'every key that is referred',
    'base',
    put(GATEWAY, `${FIRST}/envFrom/0/configMapRef/name`, 'settings'),
    /is not there/,
  ],
  [
    'secrets are in Secrets',
    'base',
    put(GATEWAY, `${FIRST}/env/1`, { name: 'SEAL_KEY', value: Buffer.alloc(32).toString('base64') }),
    /in the open/,
  ],
  [
    'container ports',
    'base',
    put('ConfigMap/pricing-settings', 'data/TCP_PORT', '4203'),
    /listens on 4201, 4203/,
  ],
  ['a service listens', 'base', put('ConfigMap/pricing-settings', 'data/HOST'), /HOST is not/],
  [
    'addresses of other services',
    'base',
    put('ConfigMap/gateway-settings', 'data/BILLING_TCP_URL', 'tcp://billing:4103'),
    /no such Service/,
  ],
  [
    'a pod is given longer',
    'base',
    put(GATEWAY, `${POD}/terminationGracePeriodSeconds`, 320),
    /may take 320 s and is given 320/,
  ],
  ['a pod is given longer', 'base', put('Deployment/billing', `${FIRST}/lifecycle`), /goes after 0 s/],
  [
    'a pod is given longer',
    'overlays/production',
    put('ConfigMap/gateway-settings', 'data/DRAIN_S', '90'),
    /may take 780 s/,
  ],
  [
    'second factors have',
    'base',
    put('Deployment/billing', `${FIRST}/env/6/valueFrom/secretKeyRef/optional`, true),
    /FACTOR_SEAL_KEY is not required/,
  ],
  [
    'second factors have',
    'overlays/production',
    put('ConfigMap/billing-settings', 'data/PUBLIC_URL'),
    /PUBLIC_URL is undefined, and https:\/\/tollgate.example.com for gateways/,
  ],
  [
    'what a program writes to',
    'base',
    put('ConfigMap/gateway-settings', 'data/SPOOL_DIR', '/var/spool'),
    /nothing is mounted/,
  ],
  [
    'what a program writes to',
    'base',
    put('ConfigMap/gateway-settings', 'data/UPLOAD_DIR'),
    /nothing is mounted at .*tollgate-uploads/,
  ],
  [
    'what a program writes to',
    'base',
    put(GATEWAY, 'spec/persistentVolumeClaimRetentionPolicy/whenScaled', 'Delete'),
    /goes with its pod/,
  ],
  ['what a program writes to', 'base', put(GATEWAY, 'spec/volumeClaimTemplates', []), /goes with its pod/],
];

test.each(MUTATIONS)(
  '"%s" is broken in %s',
  async (...one) => {
    const { before, after } = await tryMutation(SETTINGS_POLICIES, one);
    expect(before).toEqual([]);
    expect(after.join('\n')).toMatch(one[3]);
  },
  180_000,
);

test('every rule can be broken', () => {
  const unbroken = SETTINGS_POLICIES.filter(
    ({ name }) => !MUTATIONS.some(([policy]) => name.startsWith(policy)),
  );
  expect(unbroken).toEqual([]);
});

import { type MutationCase, put, tryMutation, without } from './mutations.ts';
import { WIRING_POLICIES } from './wiring-policies.ts';

const POD = 'spec/template/spec';
const FIRST = `${POD}/containers/0`;
const GATEWAY = 'StatefulSet/gateway';

const MUTATIONS: readonly MutationCase[] = [
  ['every Service leads', 'base', put('Service/billing', 'spec/selector', { a: 'b' }), /selects no pod/],
  [
    'every Service leads',
    'base',
    put('Service/billing', 'spec/ports/1/targetPort', 'rpc'),
    /has its port tcp/,
  ],
  ['probes ask ports', 'base', put(GATEWAY, `${FIRST}/livenessProbe/httpGet/port`, 'web'), /no port web/],
  [
    'a selector of pods',
    'base',
    put('Deployment/billing', 'spec/template/metadata/labels', {}),
    /its own pods/,
  ],
  ['each service of ours', 'base', without('PodDisruptionBudget/gateway'), /has no budget/],
  [
    'each service of ours',
    'base',
    put('PodDisruptionBudget/gateway', 'spec/selector/matchLabels', { a: 'b' }),
    /selects no pod/,
  ],
  [
    'what scales has a target',
    'base',
    put('HorizontalPodAutoscaler/gateway', 'spec/scaleTargetRef/kind', 'Deployment'),
    /there is no Deployment\/gateway/,
  ],
  [
    'what scales has a target',
    'overlays/keda',
    put('Deployment/billing', 'spec/replicas', 2),
    /sets its replicas/,
  ],
  [
    'routes lead',
    'overlays/production',
    put('HTTPRoute/gateway', 'spec/rules/1/backendRefs/0/port', 3000),
    /no Service gateway with port 3000/,
  ],
  [
    'routes lead',
    'overlays/production',
    put('HTTPRoute/gateway', 'spec/rules/1/timeouts/request', '60s'),
    /cut off/,
  ],
  [
    'routes lead',
    'overlays/production',
    put('HTTPRoute/gateway', 'spec/rules/0/matches', []),
    /\/metrics is let through/,
  ],
  [
    'an Ingress leads',
    'overlays/without-operators',
    put('Ingress/gateway', 'spec/rules/0/http/paths/3/backend/service/name', 'web'),
    /no Service web/,
  ],
  [
    'an Ingress leads',
    'overlays/without-operators',
    put('Ingress/gateway', 'spec/rules/0/http/paths/0/backend/service/name', 'gateway'),
    /\/metrics is let through/,
  ],
  [
    'everything is in one',
    'base',
    put('Service/gateway', 'metadata/namespace', 'default'),
    /namespace default/,
  ],
  ['everything is in one', 'base', put('Namespace/tollgate', 'metadata/labels', {}), /admits more/],
  ['no document', 'base', (documents) => [...documents, ...documents.slice(0, 1)], /Namespace/],
];

test.each(MUTATIONS)(
  '"%s" is broken in %s',
  async (...one) => {
    const { before, after } = await tryMutation(WIRING_POLICIES, one);
    expect(before).toEqual([]);
    expect(after.join('\n')).toMatch(one[3]);
  },
  180_000,
);

test('every rule can be broken', () => {
  const unbroken = WIRING_POLICIES.filter(
    ({ name }) => !MUTATIONS.some(([policy]) => name.startsWith(policy)),
  );
  expect(unbroken).toEqual([]);
});

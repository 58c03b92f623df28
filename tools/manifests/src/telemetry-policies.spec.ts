import { type MutationCase, type Mutation, put, tryMutation } from './mutations.ts';
import { toName } from './manifest.ts';
import { TELEMETRY_POLICIES } from './telemetry-policies.ts';

const FIRST = 'spec/groups/0/rules/0/annotations/runbook_url';
const RULES = 'PrometheusRule/tollgate';
const COLLECTOR = 'data/OTEL_EXPORTER_OTLP_ENDPOINT';

/** Traces of all services go to another port. */
const elsewhere: Mutation = (documents) =>
  documents.map((one) =>
    toName(one).startsWith('ConfigMap/')
      ? {
          ...one,
          data: { ...one.data, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector.monitoring:9999' },
        }
      : one,
  );

const MUTATIONS: readonly MutationCase[] = [
  ['every alert leads', 'overlays/production', put(RULES, FIRST, 'runbooks/Some.md'), /page of its name/],
  [
    'every alert leads',
    'overlays/production',
    put(RULES, FIRST, 'https://elsewhere.example/TollgateLedgerOutOfBalance.md'),
    /at several places/,
  ],
  [
    'every alert leads',
    'overlays/production',
    put(RULES, 'spec/groups/0/rules/0', {
      alert: 'TollgateUnheardOf',
      annotations: { runbook_url: 'https://docs.tollgate.example/runbooks/TollgateUnheardOf.md' },
    }),
    /TollgateUnheardOf has no page/,
  ],
  ['where traces are sent', 'overlays/production', put('ConfigMap/pricing-settings', COLLECTOR), /nowhere/],
  [
    'Prometheus reads',
    'overlays/production',
    put('ServiceMonitor/tollgate', 'spec/endpoints/0/port', 'web'),
    /billing has no port web/,
  ],
  [
    'Prometheus reads',
    'overlays/production',
    put('Service/pricing', 'metadata/labels', {}),
    /pricing is not read/,
  ],
  [
    'Prometheus reads',
    'overlays/production',
    put('ServiceMonitor/tollgate', 'spec/endpoints/0/authorization/credentials/name', 'tollgate-redis'),
    /gateway is not shown its METRICS_TOKEN/,
  ],
  [
    'gateways are scaled',
    'base',
    put('HorizontalPodAutoscaler/gateway', 'spec/metrics/0/resource/name', 'memory'),
    /not by CPU/,
  ],
  [
    'gateways are scaled',
    'base',
    put('HorizontalPodAutoscaler/gateway', 'spec/metrics/1/pods/metric/name', 'tollgate_in_flight'),
    /there is no metric tollgate_in_flight/,
  ],
  [
    'KEDA asks for metrics',
    'overlays/keda',
    put('ScaledObject/billing', 'spec/triggers/0/metadata/query', 'max(tollgate_usage_jobs)'),
    /there is no metric tollgate_usage_jobs\n.*not by the jobs of all usage queues/,
  ],
  [
    'KEDA asks for metrics',
    'overlays/keda',
    put('ScaledObject/billing', 'spec/triggers/0', {
      type: 'redis-cluster',
      metadata: { listName: 'bull:{usage}:wait' },
    }),
    /a trigger redis-cluster counts one queue of several/,
  ],
  ['where traces are sent', 'overlays/production', elsewhere, /gateway may not reach .*9999/],
];

test.each(MUTATIONS)(
  '"%s" is broken in %s',
  async (...one) => {
    const { before, after } = await tryMutation(TELEMETRY_POLICIES, one);
    expect(before).toEqual([]);
    expect(after.join('\n')).toMatch(one[3]);
  },
  180_000,
);

test('every rule can be broken', () => {
  const unbroken = TELEMETRY_POLICIES.filter(
    ({ name }) => !MUTATIONS.some(([policy]) => name.startsWith(policy)),
  );
  expect(unbroken).toEqual([]);
});

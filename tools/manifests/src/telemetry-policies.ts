import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, toName, ofKind, ROOT, type Selector, selects, listWorkloads } from './manifest.ts';
import type { Policy } from './policy.ts';
import { mayReach } from './network-reachability.ts';
import { listVariables } from './settings.ts';

const SERVICES = ['gateway', 'billing', 'pricing'];
/** The namespace of what watches over it. */
const MONITORING = { namespace: { 'tollgate/monitoring': 'true' } };
const COLLECTOR = 'OTEL_EXPORTER_OTLP_ENDPOINT';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly annotations?: Record<string, string> }[];
  }[];
}

interface Monitor {
  readonly selector: Selector;
  readonly endpoints: readonly {
    readonly port: string;
    readonly path?: string;
    readonly authorization?: {
      readonly type?: string;
      readonly credentials?: { readonly name: string; readonly key: string };
    };
  }[];
}

interface Autoscaler {
  readonly metrics: readonly {
    readonly resource?: { readonly name: string };
    readonly pods?: { readonly metric: { readonly name: string } };
  }[];
}

/** What KEDA scales, and by what. */
interface Scaled {
  readonly scaleTargetRef: { readonly name: string };
  readonly triggers: readonly { readonly type: string; readonly metadata: { readonly query?: string } }[];
}

/** The sum of all shards that usage is spread over, which no single list of Redis has. */
const QUEUED = 'tollgate_usage_queue_jobs';

/** Our metrics, by the page that `npm test` holds against what services show. */
const describedMetrics = (): readonly string[] =>
  [...readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').matchAll(/^\| `(tollgate_\w+)`/gm)].map(
    ([, name = '']) => name,
  );

type Authorization = Monitor['endpoints'][number]['authorization'];

/** The services that want another token than the one that is shown. */
function deafTo(authorization: Authorization, documents: readonly Manifest[]): readonly string[] {
  const shown = authorization?.type === 'Bearer' ? authorization.credentials : undefined;
  return listWorkloads(documents)
    .filter(({ name, stays }) => stays && SERVICES.includes(name))
    .filter(
      ({ containers }) =>
        !containers
          .flatMap((container) => listVariables(container, documents))
          .some(
            ({ name, from }) =>
              name === 'METRICS_TOKEN' && from?.name === shown?.name && from?.key === shown?.key,
          ),
    )
    .map(({ name }) => `${name} is not shown its METRICS_TOKEN`);
}

/** What is needed to see into a deployment, and to be called when something is wrong. */
export const TELEMETRY_POLICIES: readonly Policy[] = [
  {
    name: 'every alert leads to its page, and all of them to one place',
    faults: ({ documents }) =>
      ofKind<Rules>(documents, 'PrometheusRule').flatMap((one) => {
        const alerts = one.spec.groups.flatMap(({ rules }) => rules);
        const places = new Set<string>();
        const faults = alerts.flatMap(({ alert, annotations = {} }) => {
          const url = URL.parse(annotations['runbook_url'] ?? '');
          if (!url?.pathname.endsWith(`/${alert}.md`))
            return [`${alert} does not lead to a page of its name`];
          places.add(url.href.slice(0, -`/${alert}.md`.length));
          return existsSync(join(ROOT, 'docs/runbooks', `${alert}.md`)) ? [] : [`${alert} has no page`];
        });
        return [...faults, ...(places.size > 1 ? ['pages are at several places'] : [])].map(
          (fault) => `${toName(one)}: ${fault}`,
        );
      }),
  },
  {
    name: 'Prometheus reads each of our services, at a port that it has',
    faults: ({ documents }) =>
      ofKind<Monitor>(documents, 'ServiceMonitor').flatMap((monitor) => {
        const { selector, endpoints } = monitor.spec;
        const services = ofKind<{ ports: readonly { name: string }[] }>(documents, 'Service').filter(
          ({ metadata }) => selects(selector, metadata.labels ?? {}),
        );
        return [
          ...SERVICES.filter((name) => !services.some(({ metadata }) => metadata.name === name)).map(
            (name) => `${name} is not read`,
          ),
          ...services.flatMap(({ metadata, spec }) =>
            endpoints
              .filter(({ port }) => !spec.ports.some(({ name }) => name === port))
              .map(({ port }) => `${metadata.name} has no port ${port}`),
          ),
          ...endpoints.filter(({ path }) => path !== '/metrics').map(() => 'it does not read /metrics'),
          ...endpoints.flatMap(({ authorization }) => deafTo(authorization, documents)),
        ].map((fault) => `${toName(monitor)}: ${fault}`);
      }),
  },
  {
    name: 'gateways are scaled by CPU and by what they have in flight, which is a metric that they have',
    faults: ({ documents }) =>
      ofKind<Autoscaler>(documents, 'HorizontalPodAutoscaler').flatMap((one) => {
        const { metrics } = one.spec;
        const names = metrics.flatMap(({ pods }) => pods?.metric.name ?? []);
        const described = describedMetrics().filter((name) => name.startsWith('tollgate_gateway_'));
        return [
          ...(metrics.some(({ resource }) => resource?.name === 'cpu') ? [] : ['not by CPU']),
          ...(names.some((name) => name.endsWith('_in_flight')) ? [] : ['not by what is in flight']),
          ...names.filter((name) => !described.includes(name)).map((name) => `there is no metric ${name}`),
        ].map((fault) => `${toName(one)}: ${fault}`);
      }),
  },
  {
    name: 'KEDA asks for metrics that there are, and scales billing by the jobs of all usage queues',
    faults: ({ documents }) =>
      ofKind<Scaled>(documents, 'ScaledObject').flatMap((one) => {
        const { scaleTargetRef, triggers } = one.spec;
        const queries = triggers.flatMap(({ metadata }) => metadata.query ?? []);
        const asked = queries.flatMap((query) => query.match(/\btollgate_\w+/g) ?? []);
        const described = describedMetrics();
        const single = triggers.filter(({ type }) => type.startsWith('redis'));
        return [
          ...asked.filter((name) => !described.includes(name)).map((name) => `there is no metric ${name}`),
          ...single.map(({ type }) => `a trigger ${type} counts one queue of several`),
          ...(scaleTargetRef.name !== 'billing' || asked.includes(QUEUED)
            ? []
            : ['not by the jobs of all usage queues']),
        ].map((fault) => `${toName(one)}: ${fault}`);
      }),
  },
  {
    name: 'where traces are sent, all services send theirs to one collector, and may reach it',
    faults: ({ documents }) => {
      const senders = listWorkloads(documents)
        .filter(({ name, stays }) => stays && SERVICES.includes(name))
        .map(({ name, labels, containers }) => {
          const variables = containers.flatMap((container) => listVariables(container, documents));
          return { name, labels, url: variables.find((variable) => variable.name === COLLECTOR)?.value };
        });
      const urls = new Set(senders.map(({ url }) => url));
      if (urls.size > 1) return [`traces go to ${[...urls].map((url) => url ?? 'nowhere').join(', ')}`];
      return senders.flatMap(({ name, labels, url }) =>
        url === undefined || mayReach(documents, labels, MONITORING, Number(new URL(url).port || 80))
          ? []
          : [`${name} may not reach ${url}`],
      );
    },
  },
];

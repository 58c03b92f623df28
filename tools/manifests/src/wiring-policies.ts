import {
  type Labels,
  type Manifest,
  toName,
  ofKind,
  type Selector,
  selects,
  listWorkloads,
} from './manifest.ts';
import type { Policy } from './policy.ts';

const SERVICES = ['gateway', 'billing', 'pricing'];
/** A Service with this label is there to lead nowhere. */
const NOWHERE = 'nowhere';
/** Not for clients. */
const FOR_OPERATORS = ['/metrics', '/healthz', '/readyz'];

interface ServiceSpec {
  readonly selector?: Labels;
  readonly ports: readonly {
    readonly name: string;
    readonly port: number;
    readonly targetPort: string | number;
  }[];
}

interface Scaled {
  readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind?: string; readonly name: string };
}

const serviceHasPort = (documents: readonly Manifest[], name: string, port: string | number | undefined) =>
  ofKind<ServiceSpec>(documents, 'Service').some(
    ({ metadata, spec }) =>
      metadata.name === name && spec.ports.some((one) => one.port === port || one.name === port),
  );

/** What documents that name each other must be. */
export const WIRING_POLICIES: readonly Policy[] = [
  {
    name: 'every Service leads to pods, and to ports that they have',
    faults: ({ documents }) =>
      ofKind<ServiceSpec>(documents, 'Service').flatMap((service) => {
        const { selector = {}, ports } = service.spec;
        if (selector['tollgate/role'] === NOWHERE) return [];
        const target = listWorkloads(documents).find(({ labels }) =>
          selects({ matchLabels: selector }, labels),
        );
        if (!target) return [`${toName(service)} selects no pod`];
        const known = target.containers.flatMap((one) => one.ports ?? []);
        return ports
          .filter(
            ({ targetPort }) =>
              !known.some(({ name, containerPort }) => targetPort === name || targetPort === containerPort),
          )
          .map(({ name }) => `${toName(service)}: no container has its port ${name}`);
      }),
  },
  {
    name: 'probes ask ports that the container has',
    faults: ({ documents }) =>
      listWorkloads(documents).flatMap(({ kind, name, containers }) =>
        containers.flatMap((container) =>
          [container.startupProbe, container.readinessProbe, container.livenessProbe].flatMap((probe) => {
            const port = probe?.httpGet?.port;
            const isKnown = container.ports?.some((one) => one.name === port || one.containerPort === port);
            return port === undefined || isKnown ? [] : [`${kind}/${name}: no port ${port} to probe`];
          }),
        ),
      ),
  },
  {
    name: 'a selector of pods selects the pods beside it',
    faults: ({ documents }) =>
      ['Deployment', 'StatefulSet'].flatMap((kind) =>
        ofKind<{ selector: Selector; template: { metadata: { labels: Labels } } }>(documents, kind)
          .filter(({ spec }) => !selects(spec.selector, spec.template.metadata.labels))
          .map((one) => `${toName(one)} does not select its own pods`),
      ),
  },
  {
    name: 'each service of ours may lose one pod at a time, and every budget is about pods that are there',
    faults: ({ documents }) => {
      const budgets = ofKind<{ selector: Selector; maxUnavailable?: number }>(
        documents,
        'PodDisruptionBudget',
      );
      const workloads = listWorkloads(documents);
      return [
        ...budgets
          .filter(({ spec }) => !workloads.some(({ labels }) => selects(spec.selector, labels)))
          .map((one) => `${toName(one)} selects no pod`),
        ...workloads
          .filter(({ name, stays }) => stays && SERVICES.includes(name))
          .filter(
            ({ labels }) =>
              !budgets.some(({ spec }) => spec.maxUnavailable === 1 && selects(spec.selector, labels)),
          )
          .map(({ kind, name }) => `${kind}/${name} has no budget of one`),
      ];
    },
  },
  {
    name: 'what scales has a target, and nothing else sets its number',
    faults: ({ documents }) =>
      ['HorizontalPodAutoscaler', 'ScaledObject'].flatMap((kind) =>
        ofKind<Scaled>(documents, kind).flatMap((scaler) => {
          const { kind: targetKind = 'Deployment', name } = scaler.spec.scaleTargetRef;
          const target = listWorkloads(documents).find((one) => one.kind === targetKind && one.name === name);
          if (!target) return [`${toName(scaler)}: there is no ${targetKind}/${name}`];
          return target.replicas === undefined ? [] : [`${targetKind}/${name} sets its replicas itself`];
        }),
      ),
  },
  {
    name: 'routes lead to Services that are there, streams are not cut off, and what is for operators stays inside',
    faults: ({ documents }) =>
      ofKind<HttpRouteSpec>(documents, 'HTTPRoute').flatMap((route) => {
        const withBackend = route.spec.rules.filter(({ backendRefs = [] }) => backendRefs.length > 0);
        const closed = route.spec.rules
          .filter((rule) => !withBackend.includes(rule))
          .flatMap(({ matches = [] }) => matches)
          .filter(({ path }) => path?.type === 'Exact')
          .map(({ path }) => path?.value);
        return [
          ...withBackend
            .flatMap(({ backendRefs = [] }) => backendRefs)
            .filter(({ name, port }) => !serviceHasPort(documents, name, port))
            .map(({ name, port }) => `there is no Service ${name} with port ${port}`),
          ...withBackend
            .filter(({ timeouts }) => timeouts?.request !== '0s' || timeouts.backendRequest !== '0s')
            .map(() => 'a stream would be cut off'),
          ...FOR_OPERATORS.filter((path) => !closed.includes(path)).map((path) => `${path} is let through`),
        ].map((fault) => `${toName(route)}: ${fault}`);
      }),
  },
  {
    name: 'an Ingress leads to Services that are there, and nowhere from what is for operators',
    faults: ({ documents }) =>
      ofKind<IngressSpec>(documents, 'Ingress').flatMap((ingress) =>
        ingress.spec.rules.flatMap(({ http: { paths } }) => [
          ...paths
            .map(({ backend: { service } }) => service)
            .filter(({ name, port }) => !serviceHasPort(documents, name, port.number ?? port.name))
            .map(({ name }) => `${toName(ingress)}: there is no Service ${name} with that port`),
          ...FOR_OPERATORS.filter(
            (path) =>
              !paths.some(
                (one) =>
                  one.path === path && one.pathType === 'Exact' && one.backend.service.name === NOWHERE,
              ),
          ).map((path) => `${toName(ingress)}: ${path} is let through`),
        ]),
      ),
  },
  {
    name: 'everything is in one namespace, which admits restricted pods only',
    faults: ({ documents }) => [
      ...documents
        .filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'tollgate')
        .map(
          (one) => `${toName(one)} is in the namespace ${one.metadata.namespace ?? 'of whoever applies it'}`,
        ),
      ...ofKind(documents, 'Namespace')
        .filter(({ metadata }) => metadata.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted')
        .map((one) => `${toName(one)} admits more than restricted pods`),
    ],
  },
  {
    name: 'no document is there twice',
    faults: ({ documents }) => {
      const names = documents.map((one) => `${one.apiVersion} ${toName(one)}`);
      return names.filter((name, index) => names.indexOf(name) !== index);
    },
  },
];

interface HttpRouteSpec {
  readonly rules: readonly {
    readonly matches?: readonly { readonly path?: { readonly type?: string; readonly value?: string } }[];
    readonly backendRefs?: readonly { readonly name: string; readonly port?: number }[];
    readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
  }[];
}

interface IngressSpec {
  readonly rules: readonly {
    readonly http: {
      readonly paths: readonly {
        readonly path: string;
        readonly pathType: string;
        readonly backend: {
          readonly service: {
            readonly name: string;
            readonly port: { readonly number?: number; readonly name?: string };
          };
        };
      }[];
    };
  }[];
}

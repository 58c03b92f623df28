import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { parse, parseAllDocuments } from 'yaml';
import { call, GOOD } from '../call.ts';
import { makeKey } from '../shared-stack.ts';
import {
  ask,
  makeOwnPool,
  type OwnSimulator,
  ownName,
  putUpstream,
  startOwnSimulator,
} from '../pools/own-pool.ts';
import { openOwnStack, type OwnStack } from './own-stack.ts';
import { startPrometheus } from './prometheus.ts';
import { type Sample, scrape, sumSamples, requireUrl } from './scrape.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
  }[];
}
interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

const dashboards = globSync('k8s/components/monitoring/dashboards/*.json', { cwd: ROOT }).map((path) => ({
  path,
  board: JSON.parse(read(path)) as Dashboard,
}));
const rules = parse(read('k8s/components/monitoring/alerts.yaml')) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
};
/** What KEDA asks; the namespace is that of the cluster. */
const scalerQueries = parseAllDocuments(read('k8s/components/keda/scaled-objects.yaml')).flatMap(
  (document) => {
    const { spec } = document.toJS() as {
      readonly spec: { readonly triggers: readonly { readonly metadata: { readonly query?: string } }[] };
    };
    return spec.triggers.flatMap(
      ({ metadata }) => metadata.query?.replace(/namespace="tollgate",?/, '') ?? [],
    );
  },
);
const alerts = rules.spec.groups.flatMap((group) => group.rules);
const runbooks = globSync('docs/runbooks/*.md', { cwd: ROOT });

/** Every expression that is asked of Prometheus, by where it stands. */
const EXPRESSIONS: readonly (readonly [string, string])[] = [
  ...dashboards.flatMap(({ board }) =>
    board.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => [`${board.uid}: ${title}`, expr] as const),
    ),
  ),
  ...scalerQueries.map((expr) => ['KEDA: a trigger', expr] as const),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
];

const METRIC = /\b((?:tollgate|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;
/** Prometheus adds these itself. */
const ADDED = ['job', 'pod', 'instance'];

/** The metrics of an expression, with the labels that it asks of each, and those that it groups by. */
function askedOf(expr: string): { metrics: { name: string; labels: string[] }[]; groups: string[] } {
  const labelsIn = (text = '') =>
    [...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
  return {
    metrics: [...expr.matchAll(METRIC)].map(([, name = '', matchers]) => ({
      name,
      labels: labelsIn(matchers),
    })),
    groups: [...expr.matchAll(/\bby \(([^)]*)\)/g)]
      .flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
      .filter((label) => !ADDED.includes(label)),
  };
}

let at: OwnStack;
let simulator: OwnSimulator;
let samples: readonly Sample[];

/** Lets happen what there is a metric of. */
async function live(): Promise<void> {
  const headers = { authorization: `Bearer ${at.apiKey}` };
  const url = `${at.baseUrl}${GOOD.chat.path}`;
  await call(url, { headers, body: GOOD.chat.body });
  await call(url, { headers, body: { ...GOOD.chat.body, stream: true } });
  await call(url, { body: GOOD.chat.body });
  const limited = await makeKey(at, { limits: { requests_per_minute: 1 } });
  for (const _time of [1, 2])
    await call(url, { headers: { authorization: `Bearer ${limited.key}` }, body: GOOD.chat.body });
  const lie = [{ role: 'user', content: '[[sim {"usage":{"input":4,"output":900}}]]' }];
  await call(url, { headers, body: { ...GOOD.chat.body, messages: lie, max_tokens: 5 } });
  // Somebody without a session, which is logged as a warning.
  await fetch(`${at.baseUrl}/api/accounts`);
  const upstream = ownName('bad');
  await putUpstream(at, upstream, simulator.url, ['bad']);
  const pool = await makeOwnPool(at, { members: [{ upstream }] });
  // An attempt that may have cost something, and one that the upstream refused.
  for (const script of [{ cut_before_headers: true }, { status: 503 }]) {
    await simulator.script(script);
    await ask(at.baseUrl, pool);
  }
  const billing = requireUrl(at.stack, 'billing');
  await waitFor(
    async () => sumSamples(await scrape(billing), 'tollgate_usage_events_posted_total') >= 4,
    'postings',
  );
  const services = [at.baseUrl, billing, requireUrl(at.stack, 'pricing')];
  samples = (await Promise.all(services.map(scrape))).flat();
}

beforeAll(async () => {
  [at, simulator] = await Promise.all([openOwnStack(), startOwnSimulator()]);
  await live();
}, 120_000);
afterAll(async () => {
  await simulator?.close();
  await at?.close();
});

test.each(EXPRESSIONS)('%s asks for metrics and labels that the services have', (_where, expr) => {
  const { metrics, groups } = askedOf(expr);
  const labelsOf = (name: string) =>
    samples.filter((sample) => sample.name === name).map(({ labels }) => labels);
  for (const { name, labels } of metrics) {
    const series = labelsOf(name);
    expect({ name, there: series.length > 0 }).toEqual({ name, there: true });
    const required = [...labels.filter((label) => !ADDED.includes(label)), ...groups];
    expect(required.filter((label) => !series.some((each) => label in each))).toEqual([]);
  }
  expect(metrics.length > 0 || /\bup\{/.test(expr)).toBe(true);
});

test('every metric of ours is described in the documentation, and no other', () => {
  const described = [...read('docs/metrics.md').matchAll(/^\| `(tollgate_\w+)`/gm)].map(([, name]) => name);
  const plain = ({ name }: Sample) => name.replace(/_(?:bucket|sum|count)$/, '');
  const shown = new Set(samples.filter(({ name }) => name.startsWith('tollgate_')).map(plain));
  expect([...shown].sort()).toEqual([...described].sort());
});

test('dashboards have names of their own, panels that do not overlap, and one data source', () => {
  expect(dashboards.length).toBeGreaterThanOrEqual(4);
  expect(new Set(dashboards.map(({ board }) => board.uid)).size).toBe(dashboards.length);
  for (const { path, board } of dashboards) {
    expect(basename(path)).toBe(`${board.uid}.json`);
    expect(
      board.panels
        .flatMap(({ targets }) => targets)
        .every(({ datasource }) => datasource.uid === '${datasource}'),
    ).toBe(true);
    const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
  }
});

test('every alert has its page, and every page its alert', () => {
  const pages = runbooks.map((path) => basename(path, '.md'));
  expect(pages.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  for (const { alert, annotations } of alerts) expect(annotations.runbook_url).toBe(`runbooks/${alert}.md`);
});

test.each(alerts.map((each) => [each.alert, each] as const))(
  '%s says what is wrong, and its page holds the expression, what it means and what to do',
  (name, { expr, labels, annotations }) => {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
    expect(annotations.description.length).toBeGreaterThan(10);
    const page = read(`docs/runbooks/${name}.md`);
    expect(page).toContain(expr.trim());
    expect(page).toMatch(/## What it means\n\n\S[\s\S]+## How to see\n\n\S[\s\S]+## What to do\n\n1\. \S/);
  },
);

test('every metric that a page names is there', () => {
  const named = runbooks.flatMap((path) =>
    [...read(path).matchAll(/`(tollgate_\w+)`/g)].map(([, name]) => name),
  );
  const known = new Set(samples.map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, '')));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.has(name ?? ''))).toEqual([]);
});

/** It lists upstreams that are ejected or cooling down, and there is none. */
const OF_FAILURES = ['tollgate-upstreams: Held back'];

test('in a Prometheus every query of a dashboard has data, and every rule is worked out', async () => {
  const targets = {
    gateway: at.baseUrl,
    billing: requireUrl(at.stack, 'billing'),
    pricing: requireUrl(at.stack, 'pricing'),
  };
  const prometheus = await startPrometheus(targets, rules.spec);
  // Without one, what the queries ask for is there all the same: that is the test above.
  if (!prometheus) return;
  try {
    const headers = { authorization: `Bearer ${at.apiKey}` };
    const queries = EXPRESSIONS.filter(([where]) => where.includes(': ')).map(
      ([where, expr]) => [where, expr.replaceAll('$__rate_interval', '1m')] as const,
    );
    const empty = async () => {
      const counts = await Promise.all(queries.map(([, expr]) => prometheus.count(expr)));
      const without = queries.filter((_query, index) => counts[index] === 0).map(([where]) => where);
      return without.filter((where) => !OF_FAILURES.includes(where));
    };
    await waitFor(
      async () => {
        await call(`${at.baseUrl}${GOOD.chat.path}`, { headers, body: { ...GOOD.chat.body, stream: true } });
        return (await empty()).length === 0;
      },
      'data for every query',
      30_000,
      1_000,
    ).catch(() => {});
    expect(await empty()).toEqual([]);
    expect(await prometheus.faultyRules()).toEqual([]);
  } finally {
    await prometheus.stop();
  }
}, 90_000);

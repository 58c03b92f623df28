import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { alertRules } from './alert-rules.ts';
import { ALERT_CASES } from './alert-cases.ts';
import { ROOT } from './manifest.ts';

// Prometheus itself reads the rules and says when they fire: its promtool, which Debian has in the package prometheus.

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const { spec } = parse(readFileSync(join(ROOT, 'k8s/components/monitoring/alerts.yaml'), 'utf8')) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
};
const rules = new Map(spec.groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-alerts-'));
  writeFileSync(join(directory, 'rules.yaml'), stringify(spec));
});
afterAll(() => rmSync(directory, { recursive: true }));

function promtool(...args: readonly string[]) {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { cwd: directory, encoding: 'utf8' });
  if (error)
    throw new Error('There is no promtool here: apt-get install prometheus brings it.', { cause: error });
  return { status, said: `${stdout}${stderr}` };
}

test("compose's Prometheus has the same alerts; if not, run npm run docs", () => {
  expect(readFileSync(join(ROOT, 'docker/alerts.yaml'), 'utf8')).toBe(alertRules());
});

test('every alert has a case in which it fires, and one in which it is silent', () => {
  expect([...new Set(ALERT_CASES.map(({ alert }) => alert))].sort()).toEqual([...rules.keys()].sort());
  const silent = ALERT_CASES.filter((each) => each.silent.length > 0).map(({ alert }) => alert);
  expect(new Set(silent).size).toBe(rules.size);
});

test('every job that an alert names is logged under that name, and the runbook says what it does', () => {
  const names =
    /event=~"\(([\w|]+)\)_failed"/.exec(rules.get('TollgateJobFails')?.expr ?? '')?.[1]?.split('|') ?? [];
  expect(names.length).toBeGreaterThan(10);
  const sources = ['apps/billing/src', 'apps/pricing/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => readFileSync(join(ROOT, folder, path), 'utf8')),
  );
  const logged = new Set(
    sources.flatMap((text) => [...text.matchAll(/event: '(\w+)_failed'/g)].map(([, name]) => name)),
  );
  expect(names.filter((name) => !logged.has(name))).toEqual([]);
  const runbook = readFileSync(join(ROOT, 'docs/runbooks/TollgateJobFails.md'), 'utf8');
  expect(names.filter((name) => !runbook.includes(`| \`${name}_failed\``))).toEqual([]);
});

test('Prometheus takes the rules', () => {
  expect(promtool('check', 'rules', 'rules.yaml')).toMatchObject({
    status: 0,
    said: expect.stringContaining(`${rules.size} rules found`),
  });
});

const toSeries = (series: Readonly<Record<string, string>>) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

/** With its labels in it, as Prometheus writes it. */
const fill = (text: string, labels: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');

test('alerts fire on what they are for, and on nothing beside it', () => {
  const tests = ALERT_CASES.flatMap(({ alert, fires, at, labels = {}, silent }) => {
    const rule = rules.get(alert);
    const exp_alerts = [
      {
        exp_labels: { ...rule?.labels, ...labels },
        exp_annotations: Object.fromEntries(
          Object.entries(rule?.annotations ?? {}).map(([name, text]) => [name, fill(text, labels)]),
        ),
      },
    ];
    const of = (series: Readonly<Record<string, string>>, expected: readonly object[]) => ({
      interval: '1m',
      input_series: toSeries(series),
      alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected }],
    });
    return [of(fires, exp_alerts), ...silent.map((series) => of(series, []))];
  });
  const evaluated = { rule_files: ['rules.yaml'], evaluation_interval: '1m', tests };
  writeFileSync(join(directory, 'tests.yaml'), stringify(evaluated));
  const { status, said } = promtool('test', 'rules', 'tests.yaml');
  expect({ status, said }).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') });
});

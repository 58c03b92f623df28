import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrometheus, freePort, waitFor } from '@tollgate/harness';
import { stringify } from 'yaml';
import { z } from 'zod';

interface RunningPrometheus {
  /** How many series an expression has now. */
  count(expr: string): Promise<number>;
  /** The alerts that fire now. */
  firing(): Promise<readonly string[]>;
  /** What is wrong with rules, by their names; none once all have been worked out. */
  faultyRules(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const queryAnswer = z.object({ data: z.object({ result: z.array(z.unknown()) }) });
const alertsAnswer = z.object({
  data: z.object({
    alerts: z.array(z.object({ labels: z.object({ alertname: z.string() }), state: z.string() })),
  }),
});
const rulesAnswer = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })),
  }),
});

/**
 * Starts the Prometheus of this machine, which asks services for their metrics every second; undefined where there is none
 * and none can be installed.
 *
 * @param targets addresses by job.
 * @param rules what a file of rules holds.
 */
export async function startPrometheus(
  targets: Readonly<Record<string, string>>,
  rules: object,
): Promise<RunningPrometheus | undefined> {
  const program = findPrometheus();
  if (!program) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-prometheus-'));
  writeFileSync(join(directory, 'rules.yaml'), stringify(rules));
  const scrape_configs = Object.entries(targets).map(([job_name, url]) => ({
    job_name,
    static_configs: [{ targets: [new URL(url).host] }],
  }));
  const timing = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
  writeFileSync(
    join(directory, 'prometheus.yaml'),
    stringify({ global: timing, rule_files: ['rules.yaml'], scrape_configs }),
  );
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    program,
    [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  await waitFor(
    async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok,
    'Prometheus',
    30_000,
    100,
  );
  return {
    async count(expr) {
      const answer = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expr }),
      });
      if (!answer.ok) throw new Error(`Prometheus refuses ${expr}: ${await answer.text()}`);
      return queryAnswer.parse(await answer.json()).data.result.length;
    },
    async firing() {
      const { data } = alertsAnswer.parse(await (await fetch(`${url}/api/v1/alerts`)).json());
      return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    },
    async faultyRules() {
      const { data } = rulesAnswer.parse(await (await fetch(`${url}/api/v1/rules`)).json());
      return data.groups.flatMap((group) =>
        group.rules.filter(({ health }) => health !== 'ok').map(({ name, health }) => `${name}: ${health}`),
      );
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

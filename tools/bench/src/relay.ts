// `npm run bench -- relay`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { casesOf } from './relay/cases.ts';
import { openArena } from './relay/contestants.ts';
import { startDriver, type Run } from './relay/runner.ts';

const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    case: { type: 'string' },
    profile: { type: 'string' },
  },
});
const say = (t: string) => process.stdout.write(`${t}\n`);
const home = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
const arena = await openArena(
  home,
  options.profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` } : {},
);
const driver = startDriver();
const median = (xs: number[]) => xs.toSorted((a, b) => a - b)[Math.floor(xs.length / 2)] ?? 0;
try {
  const contestants = arena.contestants.filter(
    (c) => !options.only || options.only.split(',').includes(c.name),
  );
  const cases = casesOf(Number(options.scale)).filter(
    (c) => !options.case || options.case.split(',').includes(c.name),
  );
  for (const each of cases) {
    const runs = new Map<string, Run[]>();
    for (let round = -1; round < Number(options.rounds); round += 1) {
      for (const c of contestants) {
        if (each.tollgateOnly && c.name !== 'tollgate') continue;
        const requests =
          each.connections >= 1000 ? each.requests : round < 0 ? Math.ceil(each.requests / 2) : each.requests;
        if (round < 0 && each.connections >= 1000) continue;
        const run = await driver.run(c, {
          requests,
          connections: each.connections,
          messages: [each.message(c)],
        });
        if (round >= 0) runs.set(c.name, [...(runs.get(c.name) ?? []), run]);
      }
    }
    for (const [name, list] of runs) {
      const cpus = list.map((r) => r.cpu);
      say(
        `${each.name.padEnd(24)} ${name.padEnd(9)} cpu ${median(cpus).toFixed(0)} [${cpus.map((c) => c.toFixed(0)).join(' ')}]` +
          (each.chunks ? ` per chunk ${(median(cpus) / each.chunks).toFixed(2)}` : '') +
          ` rps ${median(list.map((r) => r.perSecond)).toFixed(0)} p50 ${median(list.map((r) => r.p50)).toFixed(2)} p99 ${median(list.map((r) => r.p99)).toFixed(2)} rss ${median(list.map((r) => r.memoryMb)).toFixed(0)} ` +
          JSON.stringify(
            Object.fromEntries(
              Object.keys(list[0]?.others ?? {}).map((k) => [
                k,
                Math.round(median(list.map((r) => r.others[k] ?? 0))),
              ]),
            ),
          ),
      );
    }
  }
} finally {
  driver.close();
  await arena.stop();
  rmSync(home, { recursive: true, force: true });
}

// `npm run hostile`: every attack of the suite, the long ones too, on a stack of its own. Beside each area another caller
// asks all the time: how long it had to wait at most is told with the area. `--only bodies` runs what is named so.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { runArea } from './area.ts';
import { FAST_AREAS, LONG_AREAS } from './areas.ts';
import type { Control } from './control.ts';
import { openHostileStack } from './hostile-stack.ts';
import { brokenInvariants } from './invariants.ts';
import { startProbe } from './probe.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, fast: { type: 'boolean', default: false } },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

/** The gateway whose clock and disk are attacked; others go on beside it. */
const ATTACKED = 'gateway-2';
const SHIFT_CLOCK = join(import.meta.dirname, '../../../../tools/chaos/src/preload/shift-clock.mjs');
const SEEN_MS = 400;

async function hostile(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-hostile-'));
  const clock = join(home, 'clock');
  let changeDisk: ((spool: string) => void) | undefined;
  const stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    env: (service) =>
      Promise.resolve(
        service === ATTACKED ? { NODE_OPTIONS: `--import=${SHIFT_CLOCK}`, SHIFT_CLOCK_FILE: clock } : {},
      ),
    prefix(service) {
      if (service === ATTACKED) changeDisk?.(join(home, 'spool', ATTACKED));
      if (service === ATTACKED) changeDisk = undefined;
      return [];
    },
  });
  const service = (name: string) => {
    const found = stack.services.get(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const attacked = service(ATTACKED);
  const control: Control = {
    url: attacked.url,
    async shiftClock(ms) {
      writeFileSync(clock, String(Math.round(ms)));
      await sleep(SEEN_MS);
    },
    freezeBilling: () => service('billing').process.freeze(),
    thawBilling: () => service('billing').process.thaw(),
    async crash(change) {
      changeDisk = change;
      attacked.process.kill();
      const redis = new Redis(stack.redisUrl, { replyMapping: 'legacy' });
      await redis.flushall();
      redis.disconnect();
      const isReady = () =>
        fetch(`${attacked.url}/healthz`).then(
          ({ ok }) => ok && changeDisk === undefined,
          () => false,
        );
      await waitFor(isReady, 'the gateway that was killed', 30_000);
    },
  };
  try {
    const at: TestStack = {
      ...stack,
      home,
      cookie: await signIn(stack.baseUrl, testAdmin),
      // The one that is attacked is killed on purpose.
      pids: Object.fromEntries(
        [...stack.services]
          .filter(([name]) => name !== ATTACKED)
          .map(([name, { process }]) => [name, process.pid()]),
      ),
    };
    return await attack(at, control);
  } finally {
    await stack.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function attack(at: TestStack, control: Control): Promise<number> {
  const attacked = { ...(await openHostileStack(at)), control };
  const areas = [...FAST_AREAS, ...(values.fast ? [] : LONG_AREAS)].filter(
    ({ name }) => values.only === undefined || name.includes(values.only),
  );
  let [count, wrong] = [0, 0];
  for (const area of areas) {
    const startedAt = performance.now();
    const probe = startProbe(at.baseUrl, at.apiKey);
    const result = await runArea(area, attacked, true);
    const { worstMs, asked, failed } = await probe.stop();
    const broken = [
      ...result.failures,
      ...(await brokenInvariants(attacked)),
      ...(area.disturbs ? [] : failed),
    ];
    count += result.count;
    wrong += broken.length;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    say(
      `${area.name.padEnd(22)} ${String(result.count).padStart(5)} cases  ${seconds.padStart(6)} s  ${area.proves}`,
    );
    say(`${' '.repeat(22)} another caller asked ${asked} times and waited ${worstMs.toFixed(0)} ms at most`);
    for (const each of result.outstanding) say(`  outstanding: ${each}`);
    for (const each of result.fixed) say(`  holds now, take it off outstanding.ts: ${each}`);
    for (const each of broken) say(`  WRONG: ${each}`);
  }
  say(`${count} cases, ${wrong} wrong`);
  return wrong === 0 ? 0 : 1;
}

try {
  process.exitCode = await hostile();
} catch (error) {
  say((error as Error).stack ?? String(error));
  process.exitCode = 2;
}

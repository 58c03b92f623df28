import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from './process.ts';
import { waitFor } from './wait-for.ts';

const directory = mkdtempSync(join(tmpdir(), 'tollgate-process-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('who is started again after a crash, by hand, is not started a second time', async () => {
  const fails = join(directory, 'fails.mjs');
  const lasts = join(directory, 'lasts.mjs');
  writeFileSync(fails, 'process.exit(3);\n');
  writeFileSync(lasts, 'setInterval(() => {}, 1_000);\n');
  const pids: number[] = [];
  const crashes: { how: string; afterMs: number }[] = [];
  const service = startProcess({
    name: 'fails',
    script: fails,
    env: {},
    logFile: join(directory, 'log'),
    onStart: (pid) => pids.push(pid),
    onCrash: (how, afterMs) => crashes.push({ how, afterMs }),
  });
  const crash = await waitFor(() => crashes[0], 'the crash');
  expect(crash.how).toBe('exit code 3');
  await service.stop();
  service.start({}, lasts);
  await sleep(2 * crash.afterMs);
  expect(pids).toHaveLength(2);
  await service.stop();
});

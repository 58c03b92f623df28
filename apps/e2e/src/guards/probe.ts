import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** The kernel counts a thread's time in hundredths of a second. */
const TICK_MS = 10;

/** What the thread that serves requests has worked so far, in milliseconds. */
function workedMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

/** The most memory that a process has had, in MiB. */
export function peakMiB(pid: number): number {
  const [, kib = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/**
 * Another caller, who asks for something small again and again while `attack` runs.
 *
 * @returns for how long at most that caller was stopped: by the work that the gateway's thread did between two of their
 * answers, as the time on a clock says nothing on a busy machine.
 */
export async function whileProbed(
  at: { readonly url: string; readonly pid: number },
  attack: () => Promise<void>,
): Promise<number> {
  let isOver = false;
  let longestMs = 0;
  const probe = async () => {
    let before = workedMs(at.pid);
    while (!isOver) {
      const answer = await fetch(at.url);
      await answer.text();
      if (!answer.ok) throw new Error(`the probe was answered ${answer.status}`);
      const now = workedMs(at.pid);
      longestMs = Math.max(longestMs, now - before);
      before = now;
      await setImmediate();
    }
  };
  const probing = probe();
  await attack().finally(() => (isOver = true));
  await probing;
  return longestMs;
}

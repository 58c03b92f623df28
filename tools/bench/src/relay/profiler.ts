import { waitFor } from '@tollgate/harness';
import type { CpuProfile } from './budget-steps.ts';

/** Microseconds between two looks at what runs. */
const INTERVAL_US = 200;

interface Profiler {
  start(): Promise<void>;
  stop(): Promise<CpuProfile>;
  close(): void;
}

/** Talks to the inspector of a process that was started with `--inspect` on this port. */
export async function openProfiler(port: number): Promise<Profiler> {
  const list = (): Promise<{ webSocketDebuggerUrl: string }[]> =>
    fetch(`http://127.0.0.1:${port}/json/list`).then((answer) => answer.json() as never);
  await waitFor(
    () =>
      list().then(
        ({ length }) => length > 0,
        () => false,
      ),
    'the inspector of the gateway',
  );
  const [target] = await list();
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let asked = 0;
  const ask = <T>(method: string, params: object = {}): Promise<T> =>
    new Promise((resolve) => {
      asked += 1;
      waiting.set(asked, resolve as (result: unknown) => void);
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  await ask('Profiler.enable');
  await ask('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  return {
    start: () => ask('Profiler.start'),
    stop: async () => (await ask<{ profile: CpuProfile }>('Profiler.stop')).profile,
    close: () => socket.close(),
  };
}

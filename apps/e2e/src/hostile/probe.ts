import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { send } from './send.ts';

interface ProbeResult {
  readonly asked: number;
  readonly worstMs: number;
  /** Of what was not answered with 200. */
  readonly failed: readonly string[];
}

interface ProbeData {
  readonly url: string;
  readonly key: string;
}

const EVERY_MS = 50;

/** Another caller that asks all the time while an attack runs, from a thread that the attacks do not hold up. */
export function startProbe(url: string, key: string): { stop(): Promise<ProbeResult> } {
  const data: ProbeData = { url, key };
  const thread = new Worker(new URL(import.meta.url), { workerData: data });
  return {
    async stop() {
      thread.postMessage('stop');
      const [result] = (await once(thread, 'message')) as [ProbeResult];
      return result;
    },
  };
}

async function probe({ url, key }: ProbeData): Promise<ProbeResult> {
  const stopping = new AbortController();
  parentPort?.once('message', () => stopping.abort());
  const failed: string[] = [];
  let [asked, worstMs] = [0, 0];
  while (!stopping.signal.aborted) {
    const startedAt = performance.now();
    await send(url, '/v1/models', { headers: { authorization: `Bearer ${key}` } }).then(
      ({ status }) => status === 200 || failed.push(`another caller was answered ${status}`),
      (error: unknown) => failed.push(`another caller got no answer: ${String(error)}`),
    );
    asked += 1;
    worstMs = Math.max(worstMs, performance.now() - startedAt);
    await sleep(EVERY_MS);
  }
  return { asked, worstMs, failed };
}

if (!isMainThread) parentPort?.postMessage(await probe(workerData as ProbeData));

import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, request as httpRequest } from 'node:http';

/** Sends one Chat request and answers its status; 0 when there was no answer. */
export function send(url: string, key: string, agent: Agent, n: number): Promise<number> {
  const body = JSON.stringify({
    model: 'sim-chat',
    stream: n % 2 === 1,
    messages: [{ role: 'user', content: `Request number ${n}` }],
  });
  return new Promise((resolve) => {
    const request = httpRequest(
      `${url}/v1/chat/completions`,
      {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', () => resolve(0));
      },
    );
    request.on('error', () => resolve(0));
    request.end(body);
  });
}

/**
 * Sends `total` requests at `perSecond`, whatever becomes of each; calls `at[n]` when the n-th leaves.
 *
 * @returns the statuses in the order of sending.
 */
export async function paced(
  total: number,
  perSecond: number,
  sendOne: (n: number) => Promise<number>,
  at: Readonly<Record<number, () => void>> = {},
): Promise<number[]> {
  const startedAt = performance.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < total; n += 1) {
    const due = startedAt + (n * 1_000) / perSecond;
    const leftMs = due - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    at[n]?.();
    answers.push(sendOne(n));
  }
  return Promise.all(answers);
}

import { type Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toBody, type AskParams } from '../faults/billed-client.ts';

/** What became of one request, as its client sees it. */
export interface Outcome {
  readonly id: string | undefined;
  readonly status: number;
  /** The body, or the stream up to its last event, is there. */
  readonly whole: boolean;
  readonly sentAt: number;
  readonly endedAt: number;
  /** What broke, when something did. */
  readonly error: string | undefined;
}

const PATIENCE_MS = 60_000;
/** After a standstill of this process no more than that is made up for at once. */
const MAX_LATE_MS = 1_000;

/** Sends one Chat request, on a connection of its own where no agent is given. */
export function send(
  url: string,
  key: string,
  { agent, ...params }: AskParams & { agent?: Agent },
  onHead = () => {},
): Promise<Outcome> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(params.script ? { 'x-sim-script': JSON.stringify(params.script) } : {}),
  };
  const sentAt = Date.now();
  return new Promise((resolve) => {
    const end = (status: number, whole: boolean, id?: string, error?: string) =>
      resolve({ id, status, whole, sentAt, endedAt: Date.now(), error });
    const options = { method: 'POST', agent: agent ?? false, headers, timeout: PATIENCE_MS };
    const asking = request(`${url}/v1/chat/completions`, options, (answer) => {
      onHead();
      const id = answer.headers['x-request-id'] as string | undefined;
      let text = '';
      let error: string | undefined;
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('error', ({ message }) => (error = message));
      answer.on('close', () => {
        const whole = params.stream ? text.endsWith('data: [DONE]\n\n') : answer.complete;
        end(answer.statusCode ?? 0, whole, id, error ?? (whole ? undefined : text.slice(-200)));
      });
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer')));
    asking.on('error', ({ message }) => end(0, false, undefined, message));
    asking.end(JSON.stringify(toBody(params)));
  });
}

export const isGood = ({ status, whole }: Outcome): boolean => status === 200 && whole;

/** Sends requests at an even pace, half of them streams, until it is stopped; answers what became of all. */
export function startPaced(
  url: string,
  key: string,
  perSecond: number,
  model: string,
): { stop(): Promise<Outcome[]> } {
  const sent: Promise<Outcome>[] = [];
  let stopped = false;
  const run = (async () => {
    let dueAt = performance.now();
    while (!stopped) {
      // Also where it is late, so that this process reads answers.
      await sleep(Math.max(0, dueAt - performance.now()));
      dueAt = Math.max(dueAt + 1_000 / perSecond, performance.now() - MAX_LATE_MS);
      const stream = sent.length % 2 === 0;
      sent.push(send(url, key, { model, stream, content: `Request number ${sent.length}` }));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await run;
      return Promise.all(sent);
    },
  };
}

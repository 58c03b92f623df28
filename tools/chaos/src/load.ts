import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Load {
  /** Requests whose answer the client has: the whole body, or a stream up to its last event. */
  readonly answered: readonly string[];
  /** Requests that got another status, or no answer, or a part of one. */
  readonly others: number;
  readonly sent: number;
}

export interface RunningLoad {
  readonly sofar: () => Load;
  /** Resolves when nothing more is sent and everything sent has ended. */
  readonly done: Promise<void>;
}

interface Wanted {
  readonly path: string;
  readonly body: object;
  /** What tells a client that it has all of a stream. */
  readonly last?: string;
}

const messages = (n: number) => [{ role: 'user', content: `Request number ${n}` }];
const KINDS: readonly ((n: number) => Wanted)[] = [
  (n) => ({ path: '/v1/chat/completions', body: { model: 'sim-chat', messages: messages(n) } }),
  (n) => ({
    path: '/v1/chat/completions',
    body: { model: 'sim-chat', stream: true, messages: messages(n) },
    last: 'data: [DONE]',
  }),
  (n) => ({ path: '/v1/messages', body: { model: 'sim-claude', max_tokens: 200, messages: messages(n) } }),
  (n) => ({
    path: '/v1/messages',
    body: { model: 'sim-claude', max_tokens: 200, stream: true, messages: messages(n) },
    last: 'event: message_stop',
  }),
];
const PATIENCE_MS = 30_000;

/** Sends requests of several kinds to all gateways in turn, at an even pace, whatever becomes of each. */
export function startLoad(
  urls: readonly string[],
  key: string,
  { perSecond, lastsMs }: { readonly perSecond: number; readonly lastsMs: number },
): RunningLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const answered: string[] = [];
  let [sent, others] = [0, 0];
  const open = new Set<Promise<void>>();

  async function run(): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const due = (sent * 1_000) / perSecond;
      if (due >= lastsMs) break;
      const early = startedAt + due - performance.now();
      if (early > 0) await sleep(early);
      const n = (sent += 1);
      const url = urls[n % urls.length] ?? '';
      const wanted = (KINDS[Math.floor(n / urls.length) % KINDS.length] ?? KINDS[0])?.(n);
      if (!wanted) continue;
      const one: Promise<void> = send(url, key, agent, wanted)
        .then((id) => {
          if (id === undefined) others += 1;
          else answered.push(id);
        })
        .finally(() => open.delete(one));
      open.add(one);
    }
    await Promise.all(open);
    agent.destroy();
  }
  return { sofar: () => ({ answered, others, sent }), done: run() };
}

/** Answers the request's id when the client has its answer. */
function send(url: string, key: string, agent: Agent, wanted: Wanted): Promise<string | undefined> {
  const headers = {
    authorization: `Bearer ${key}`,
    'x-api-key': key,
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
  };
  return new Promise((resolve) => {
    const request = httpRequest(`${url}${wanted.path}`, { method: 'POST', agent, headers }, (answer) =>
      read(answer, wanted.last).then(resolve),
    );
    request.on('error', () => resolve(undefined));
    request.setTimeout(PATIENCE_MS, () => request.destroy());
    request.end(JSON.stringify(wanted.body));
  });
}

function read(answer: IncomingMessage, last: string | undefined): Promise<string | undefined> {
  const id = answer.headers['x-request-id'];
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => (text += chunk));
  return new Promise((resolve) => {
    const end = () => {
      const whole = last === undefined ? answer.complete : text.includes(last);
      resolve(answer.statusCode === 200 && whole && typeof id === 'string' ? id : undefined);
    };
    answer.on('error', () => {});
    answer.on('close', end);
  });
}

import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Receipt } from './evidence.ts';
import { seededRandom } from './random.ts';
import { usageIn } from './read-answer.ts';
import { type ChaosRequest, requestNumber } from './requests.ts';

/** Who sends requests, and how. */
export interface Sender {
  readonly name: string;
  readonly key: string;
  /** How many of a hundred requests are this one's. */
  readonly share: number;
  readonly manner: 'stay' | 'leave' | 'duplicates';
}

interface RunningLoad {
  readonly receipts: readonly Receipt[];
  readonly sofar: () => { readonly sent: number; readonly answered: number };
  /** Resolves when nothing more is sent and everything sent has ended. */
  readonly done: Promise<void>;
}

const PATIENCE_MS = 30_000;
/** A duplicate whose first is under way on a gateway that was killed waits for its claim to lapse. */
const DUPLICATES = 3;

/** Sends requests of every kind to all gateways in turn, at an even pace, whatever becomes of each. */
export function startLoad(
  urls: readonly string[],
  senders: readonly Sender[],
  options: { readonly perSecond: number; readonly lastsMs: number; readonly seed: number },
): RunningLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const random = seededRandom(options.seed);
  const receipts: Receipt[] = [];
  const open = new Set<Promise<void>>();
  let [sent, answered, turn] = [0, 0, 0];

  const send = (sender: Sender, request: ChaosRequest, how: How) => {
    const url = urls[(turn += 1) % urls.length] ?? '';
    sent += 1;
    const one: Promise<void> = exchange(url, sender, request, agent, how)
      .then((receipt) => {
        receipts.push(receipt);
        if (receipt.whole) answered += 1;
      })
      .finally(() => open.delete(one));
    open.add(one);
  };

  function sendNext(n: number): void {
    const sender = choose(senders, random());
    if (sender.manner === 'leave') {
      const afterMs = Math.floor(random() * 400);
      return send(sender, requestNumber(n, { first_delay_ms: 150, body_delay_ms: 100, chunk_delay_ms: 20 }), {
        leaveAfterMs: afterMs,
      });
    }
    if (sender.manner === 'stay') return send(sender, requestNumber(n), {});
    const request = requestNumber(n, { first_delay_ms: 50 });
    const idempotencyKey = randomUUID();
    // Only whole answers are kept for duplicates.
    for (let duplicate = 0; duplicate < (request.stream ? 1 : DUPLICATES); duplicate += 1)
      send(sender, request, { idempotencyKey });
  }

  async function run(): Promise<void> {
    const startedAt = performance.now();
    for (let n = 0; ; n += 1) {
      const due = (n * 1_000) / options.perSecond;
      if (due >= options.lastsMs) break;
      const early = startedAt + due - performance.now();
      if (early > 0) await sleep(early);
      sendNext(n);
    }
    await Promise.all(open);
    agent.destroy();
  }
  return { receipts, sofar: () => ({ sent, answered }), done: run() };
}

function choose(senders: readonly Sender[], random: number): Sender {
  const all = senders.reduce((sum, { share }) => sum + share, 0);
  let left = random * all;
  return senders.find(({ share }) => (left -= share) < 0) ?? (senders[0] as Sender);
}

interface How {
  readonly leaveAfterMs?: number;
  readonly idempotencyKey?: string;
}

function exchange(
  url: string,
  sender: Sender,
  request: ChaosRequest,
  agent: Agent,
  { leaveAfterMs, idempotencyKey }: How,
): Promise<Receipt> {
  const sentMs = Date.now();
  let left = false;
  const receipt = (answer: Answer | undefined): Receipt => {
    const { n, model, protocol, stream, maxTokens, breaks } = request;
    const isWhole = answer?.status === 200 && answer.complete;
    return {
      n,
      model,
      protocol,
      stream,
      maxTokens,
      breaks,
      customer: sender.name,
      gateway: url,
      bodyBytes: Buffer.byteLength(request.body),
      sentMs,
      endedMs: Date.now(),
      status: answer?.status,
      requestId: answer?.requestId,
      whole: isWhole,
      usage: isWhole ? usageIn(protocol, stream, answer.text) : undefined,
      left: left && !isWhole,
      idempotencyKey,
      replayed: answer?.replayed ?? false,
      unprotected: answer?.unprotected ?? false,
    };
  };
  const headers = {
    authorization: `Bearer ${sender.key}`,
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  return new Promise((resolve) => {
    const out = httpRequest(
      `${url}${request.path}`,
      { method: 'POST', agent, headers },
      (answer) => void read(answer, request.last).then((got) => resolve(receipt(got))),
    );
    out.on('error', () => resolve(receipt(undefined)));
    out.setTimeout(PATIENCE_MS, () => out.destroy());
    out.end(request.body);
    if (leaveAfterMs !== undefined)
      setTimeout(() => {
        left = true;
        out.destroy();
      }, leaveAfterMs);
  });
}

interface Answer {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly replayed: boolean;
  readonly unprotected: boolean;
  readonly complete: boolean;
  readonly text: string;
}

function read(answer: IncomingMessage, last: string | undefined): Promise<Answer> {
  const { headers } = answer;
  const id = headers['x-request-id'];
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => (text += chunk));
  return new Promise((resolve) => {
    answer.on('error', () => {});
    answer.on('close', () =>
      resolve({
        status: answer.statusCode ?? 0,
        requestId: typeof id === 'string' ? id : undefined,
        replayed: headers['idempotency-replayed'] === 'true',
        unprotected: headers['x-tollgate-idempotency'] === 'unavailable',
        complete: last === undefined ? answer.complete : text.includes(last),
        text,
      }),
    );
  });
}

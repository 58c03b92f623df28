import type { RelayError } from '@tollgate/protocols';
import { admit } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { splitQuery } from '../front-door/query.ts';
import type { KeptAnswer } from '../idempotency/entry.ts';
import type { Execution } from '../idempotency/idempotency.ts';
import { readIdempotencyKey } from '../idempotency/presented.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';
import { sendAnswer } from './send-answer.ts';

type ExecutionOutcome =
  | Execution
  | { readonly kind: 'refused'; readonly error: RelayError; readonly headers: Record<string, string> }
  /** Answered as its first was, or its caller is gone. */
  | { readonly kind: 'done' };

/**
 * Decides whether this request runs or repeats one that ran already. A request without an Idempotency-Key always runs. A
 * repeated one that waits, or gets the kept answer, counts against the limits of requests but not of tokens.
 */
export function beginExecution(
  deps: RelayDependencies,
  request: RelayRequest,
  asked: Omit<AskedRequest, 'arrivedAt' | 'beganAt'>,
): ExecutionOutcome | Promise<ExecutionOutcome> {
  const presented = readIdempotencyKey(request.incoming.headers);
  if (!presented.ok) return { kind: 'refused', error: presented.error, headers: {} };
  if (presented.value === undefined || request.action === 'count') return WITHOUT_KEY;
  return beginWithKey(deps, request, asked, presented.value);
}

async function beginWithKey(
  deps: RelayDependencies,
  request: RelayRequest,
  asked: Omit<AskedRequest, 'arrivedAt' | 'beganAt'>,
  idempotencyKey: string,
): Promise<ExecutionOutcome> {
  const { incoming, response, protocol, clientAddress } = request;
  const { key, table, summary, payload, deadlineAt } = asked;
  const gone = watchGone(request);
  let headers: Record<string, string> = {};
  const begun = await deps.idempotency.begin({
    apiKeyId: key.key_id,
    accountId: key.account_id,
    idempotencyKey,
    stream: summary.stream,
    deadlineAt,
    signal: gone,
    method: incoming.method ?? 'POST',
    path: splitQuery(incoming.url ?? '').path,
    query: request.query,
    body: payload.bytes,
    async admitDuplicate() {
      const admitted = await admit(deps, table, { clientAddress, key, protocol, tokens: 0 });
      headers = rateHeaders(protocol, admitted.buckets);
      if (!admitted.ok) return admitted.error;
      admitted.settle(null);
      return undefined;
    },
  });
  if (begun.kind === 'execution') return begun;
  if (begun.kind === 'refused') return { ...begun, headers };
  if (begun.kind === 'replay') {
    const { status, headers: kept, body } = begun.answer;
    await sendAnswer(response, status, { ...kept, ...headers, 'idempotency-replayed': 'true' }, body);
  }
  return { kind: 'done' };
}

/** Aborts when the caller is gone; not when it has its whole answer, as nothing is under way then. */
function watchGone({ response }: RelayRequest): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  if (response.destroyed) gone.abort();
  return gone.signal;
}

/** Keeps an answer with the headers that belong to it, and not to the moment. */
export function keepAnswer(
  execution: Execution,
  answer: KeptAnswer,
  ofTheMoment: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const headers = Object.entries(answer.headers).filter(([name]) => !Object.hasOwn(ofTheMoment, name));
  return execution.keep({ ...answer, headers: Object.fromEntries(headers) });
}

const WITHOUT_KEY: Execution = {
  kind: 'execution',
  keepsAnswer: false,
  headers: {},
  keep: async () => ({}),
  release: async () => {},
  [Symbol.dispose]: () => {},
};

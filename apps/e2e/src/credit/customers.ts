import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import type { Books } from '../books.ts';
import { type Answer, call } from '../call.ts';
import { admin, type TestStack, makeKey } from '../shared-stack.ts';
import { openResponses, type ResponsesSocket } from '../websocket-client.ts';

export type Owner = Pick<TestStack, 'baseUrl' | 'cookie' | 'gatewayUrls'>;

/** Costs a cent a request whatever it says, so that what is held is what is paid. */
export const FLAT = 'a-cent';
/** Costs by the token. */
export const TOKENS = 'by-token';
const GROUP = 'credit';

/** Publishes both models for a group of their own, and waits until every gateway serves them. */
export async function publishModels(at: Owner, unlimitedKey: { group: string }): Promise<string> {
  await admin(at, 'PUT', `/api/catalogue/models/${FLAT}`, {
    vendor: 'openai',
    prices: { input: 0, output: 0 },
    request_price: 10_000,
    max_output_tokens: 1_000,
  });
  await admin(at, 'PUT', `/api/catalogue/models/${TOKENS}`, {
    vendor: 'openai',
    prices: { input: 10_000_000, output: 40_000_000 },
    max_output_tokens: 1_000,
    context_window: 8_000,
    features: { background: 'free' },
  });
  await admin(at, 'PUT', `/api/catalogue/groups/${GROUP}`, { ratio: '1', models: [FLAT, TOKENS] });
  const { key } = await makeKey(at, { ...unlimitedKey, group: GROUP });
  for (const url of at.gatewayUrls) {
    await waitFor(async () => {
      const { text } = await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return [FLAT, TOKENS].every((model) => text.includes(model));
    }, 'the models');
  }
  return key;
}

export interface Customer {
  readonly accountId: string;
  readonly key: string;
  readonly keyId: string;
}

/** A new account with a key, and what it was given. */
export async function openAccount(
  at: Owner,
  terms: {
    mode: 'prepaid' | 'postpaid';
    credit_limit_usd?: string | null;
    grant?: string;
    time_zone?: string;
  },
  keyTerms: object = {},
): Promise<Customer> {
  const { grant: given, ...account } = terms;
  const { id: accountId } = await admin(at, 'POST', '/api/accounts', {
    name: 'Customer',
    ...account,
  });
  if (given !== undefined) await grant(at, accountId, given);
  const { key, id: keyId } = await makeKey(at, { account_id: accountId, group: GROUP, ...keyTerms });
  return { accountId, key, keyId };
}

export async function grant(at: Owner, accountId: string, usd: string): Promise<void> {
  const answer = await fetch(`${at.baseUrl}/api/ledger/grants`, {
    method: 'POST',
    headers: { cookie: at.cookie, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ account_id: accountId, amount_usd: usd, reason: 'Credit for a test' }),
  });
  if (!answer.ok) throw new Error(`the grant was answered ${answer.status}: ${await answer.text()}`);
}

/** A Chat request; the script tells the simulator how to behave. */
export const ask = (
  url: string,
  key: string,
  of: { model?: string; script?: object; body?: object } = {},
): Promise<Answer> =>
  call(`${url}/v1/chat/completions`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(of.script ? { 'x-sim-script': JSON.stringify(of.script) } : {}),
    },
    body: { model: of.model ?? FLAT, messages: [{ role: 'user', content: 'Hello' }], ...of.body },
  });

/** A request that its upstream never answers. @returns what became of it in the end. */
export const askAndHang = (url: string, key: string): Promise<string> =>
  ask(url, key, { script: { hang: true } }).then(
    () => 'answered',
    () => 'broken off',
  );

/** The same over a WebSocket. */
export async function askOverSocket(url: string, key: string): Promise<ResponsesSocket> {
  const socket = await openResponses(url, key, { headers: { 'x-sim-script': '{"hang":true}' } });
  socket.send({ type: 'response.create', model: FLAT, input: 'Hello' });
  return socket;
}

/** So many at once, over all gateways in turn. */
export const askMany = (
  at: Owner,
  key: string,
  count: number,
  of: Parameters<typeof ask>[2] = {},
): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      ask(at.gatewayUrls[n % at.gatewayUrls.length] ?? at.baseUrl, key, of),
    ),
  );

/** How many answers there are of each kind: `200`, `429 insufficient_quota` and so on. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, text } of answers) {
    const name = status === 200 ? '200' : `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export const passed = (answers: readonly Answer[]): Answer[] =>
  answers.filter(({ status }) => status === 200);
export const refused = (answers: readonly Answer[]): Answer[] =>
  answers.filter(({ status }) => status !== 200);

export const readBalance = async (books: Books, accountId: string): Promise<bigint> => {
  const sql = `SELECT coalesce(sum(amount_pico), 0)::text AS sum FROM billing.ledger_entry WHERE ledger_account = $1`;
  return BigInt((await books.one(sql, [`customer:${accountId}`]))['sum'] ?? '0');
};
/** The lowest that the account ever was, after any of its transactions. */
export const readLowest = async (books: Books, accountId: string): Promise<bigint> => {
  const sql = `SELECT coalesce(min(running), 0)::text AS lowest FROM (
      SELECT sum(amount_pico) OVER (ORDER BY number) AS running FROM billing.ledger_entry WHERE ledger_account = $1
    ) AS history`;
  return BigInt((await books.one(sql, [`customer:${accountId}`]))['lowest'] ?? '0');
};

export function expectNoCredit(answers: readonly Answer[], words: string): void {
  for (const { status, headers, json } of answers) {
    expect([status, headers.get('x-should-retry')]).toEqual([429, 'false']);
    expect(json?.['error']).toMatchObject({ type: 'insufficient_quota', code: 'insufficient_quota' });
    expect(json?.['error']?.['message']).toContain(words);
  }
}

export const waitForPosted = (books: Books, accountId: string, requests: number): Promise<true> =>
  waitFor(
    async () => {
      const sql = `SELECT count(*)::int AS rows FROM billing.usage WHERE account_id = $1`;
      return Number((await books.one(sql, [accountId]))['rows']) === requests;
    },
    `${requests} requests in the books`,
    20_000,
  );

/** A gateway that was killed serves again. */
export const waitForGateway = (url: string, key: string): Promise<true> =>
  waitFor(
    () =>
      ask(url, key).then(
        ({ status }) => status === 200,
        () => false,
      ),
    'the gateway',
    20_000,
  );

/** What an answer in the background said as a stream until its connection broke; `then` is called once it has said `after`. */
export async function readBackgroundStream(
  url: string,
  key: string,
  { after, then }: { readonly after: string; readonly then: () => void },
): Promise<string> {
  const begun = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-sim-script': '{"background_ms":6000,"words":20}',
    },
    body: JSON.stringify({
      model: TOKENS,
      input: 'Hello',
      max_output_tokens: 100,
      background: true,
      stream: true,
    }),
  });
  let seen = '';
  const read = async () => {
    for await (const bytes of begun.body ?? []) {
      seen += Buffer.from(bytes).toString();
      if (seen.includes(after)) then();
    }
  };
  await expect(read()).rejects.toThrow();
  return seen;
}

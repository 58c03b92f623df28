import { checkBooks } from '@tollgate/chaos/check-books';
import { waitFor } from '@tollgate/harness';
import pg from 'pg';
import { type Answer, call } from '../call.ts';
import { admin, type TestStack, makeKey } from '../shared-stack.ts';

/** What the models of these tests cost, in pico-USD a token. */
export const PRICE = { input: 2_500_000n, output: 10_000_000n };
const SETTLED_WITHIN_MS = 60_000;

export interface AskParams {
  /** Of which gateway; the first when it is left out. */
  readonly url?: string;
  readonly model?: string;
  readonly script?: object;
  readonly stream?: boolean;
  readonly content?: string;
  readonly signal?: AbortSignal;
}

/** One API key, and a receipt of everything that it was answered. */
export interface BilledClient {
  readonly key: string;
  readonly keyId: string;
  /** Sends a Chat request and reads the answer; one that is whole goes among the receipts. */
  ask(params?: AskParams): Promise<Answer>;
  /** The books are exact: a row for each receipt with its tokens and its price, and none beside. */
  settled(): Promise<void>;
}

interface Receipt {
  readonly request_id: string;
  readonly tokens_input: string;
  readonly tokens_output: string;
  readonly cost_pico: string;
}

type Owner = Pick<TestStack, 'baseUrl' | 'cookie' | 'databaseUrl'>;

export async function openBilledClient(at: Owner, terms: object = {}): Promise<BilledClient> {
  const { key, id: keyId } = await makeKey(at, terms);
  const receipts: Receipt[] = [];
  return {
    key,
    keyId,
    async ask(params = {}) {
      const answer = await call(`${params.url ?? at.baseUrl}/v1/chat/completions`, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(params.script ? { 'x-sim-script': JSON.stringify(params.script) } : {}),
        },
        body: toBody(params),
      });
      const usage = answer.status === 200 ? findUsage(answer, params.stream ?? false) : undefined;
      if (usage) receipts.push(toReceipt(answer, usage));
      return answer;
    },
    async settled() {
      const rows = await readReceipts(at.databaseUrl, keyId, receipts.length);
      expect(rows).toEqual(receipts.toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1)));
      const ids = receipts.map(({ request_id }) => request_id);
      expect((await checkBooks(at.databaseUrl, ids)).findings).toEqual([]);
    },
  };
}

/** A billed client whose account has so much credit and no more. */
export async function openPrepaidTill(at: Owner, usd: string, terms: object = {}): Promise<BilledClient> {
  const { id } = await admin(at, 'POST', '/api/accounts', {
    name: 'Prepaid',
    mode: 'prepaid',
  });
  const answer = await call(`${at.baseUrl}/api/ledger/grants`, {
    headers: { cookie: at.cookie, 'idempotency-key': id },
    body: { account_id: id, amount_usd: usd, reason: 'Credit for a test' },
  });
  if (answer.status >= 300) throw new Error(`the grant was answered ${answer.status}: ${answer.text}`);
  return openBilledClient(at, { account_id: id, ...terms });
}

export const toBody = ({
  model = 'sim-chat',
  stream = false,
  content = 'How do you do',
}: AskParams): object => ({
  model,
  max_tokens: 50,
  messages: [{ role: 'user', content }],
  ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
});

interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Undefined where the client cannot know that it has all of the answer. */
function findUsage({ text, json }: Answer, stream: boolean): ChatUsage | undefined {
  if (!stream) return json?.['usage'] as unknown as ChatUsage | undefined;
  if (!text.endsWith('data: [DONE]\n\n')) return undefined;
  const line = text.split('\n').find((each) => each.includes('"usage":{'));
  return line ? (JSON.parse(line.slice('data: '.length)) as { usage: ChatUsage }).usage : undefined;
}

function toReceipt(answer: Answer, { prompt_tokens, completion_tokens }: ChatUsage): Receipt {
  const cost = BigInt(prompt_tokens) * PRICE.input + BigInt(completion_tokens) * PRICE.output;
  return {
    request_id: answer.headers.get('x-request-id') ?? '',
    tokens_input: String(prompt_tokens),
    tokens_output: String(completion_tokens),
    cost_pico: String(cost),
  };
}

/** Looked up again each time: a connection that is kept would end with the database. */
async function readReceipts(databaseUrl: string, keyId: string, atLeast: number): Promise<Receipt[]> {
  const sql = `SELECT request_id, tokens_input::text, tokens_output::text, cost_pico::text
    FROM billing.usage WHERE key_id = $1 ORDER BY request_id COLLATE "C"`;
  const look = async () => {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    try {
      return (await client.query<Receipt>(sql, [keyId])).rows;
    } finally {
      await client.end();
    }
  };
  const enough = async () => {
    const rows = await look();
    return rows.length >= atLeast && rows;
  };
  return waitFor(enough, `${atLeast} rows in the books`, SETTLED_WITHIN_MS, 100);
}

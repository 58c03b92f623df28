import { expectedCost, openBooks } from './books.ts';
import { sharedStack, makeKey } from './shared-stack.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

const chat = (model: string, stream = false) => ({
  model,
  stream,
  messages: [{ role: 'user', content: 'One two three' }],
});

interface Case {
  readonly path: string;
  readonly model: string;
  readonly body: object;
}

const CASES: Readonly<Record<string, Case>> = {
  'Chat Completions': { path: '/v1/chat/completions', model: 'sim-chat', body: chat('sim-chat') },
  'a Chat Completions stream': {
    path: '/v1/chat/completions',
    model: 'sim-chat',
    body: chat('sim-chat', true),
  },
  Responses: {
    path: '/v1/responses',
    model: 'sim-responses',
    body: { model: 'sim-responses', input: 'One two three' },
  },
  'a Responses stream': {
    path: '/v1/responses',
    model: 'sim-responses',
    body: { model: 'sim-responses', input: 'One two three', stream: true },
  },
  Messages: { path: '/v1/messages', model: 'sim-claude', body: { ...chat('sim-claude'), max_tokens: 50 } },
  'a Messages stream': {
    path: '/v1/messages',
    model: 'sim-claude',
    body: { ...chat('sim-claude', true), max_tokens: 50 },
  },
  generateContent: {
    path: '/v1beta/models/sim-gemini:generateContent',
    model: 'sim-gemini',
    body: { contents: [{ parts: [{ text: 'One two three' }] }] },
  },
  'a generateContent stream as events': {
    path: '/v1beta/models/sim-gemini:streamGenerateContent?alt=sse',
    model: 'sim-gemini',
    body: { contents: [{ parts: [{ text: 'One two three' }] }] },
  },
  'a generateContent stream as a JSON array': {
    path: '/v1beta/models/sim-gemini:streamGenerateContent',
    model: 'sim-gemini',
    body: { contents: [{ parts: [{ text: 'One two three' }] }] },
  },
};

describe.each(['default', 'vip'])('in the group %s', (group) => {
  let key: string;
  beforeAll(async () => ({ key } = await makeKey(at, { group })));

  test.each(Object.entries(CASES))(
    '%s is answered, metered and priced exactly, in books that balance',
    async (_name, each) => {
      const answer = await fetch(`${at.baseUrl}${each.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(each.body),
      });
      expect(await answer.text()).toContain('three');
      expect(answer.status).toBe(200);

      const requestId = answer.headers.get('x-request-id') ?? '';
      const row = await books.usage(requestId);
      expect(row).toMatchObject({
        account_id: at.accountId,
        group_name: group,
        model: each.model,
        tokens_input: '3',
        tokens_output: '4',
        usage_source: 'upstream',
        outcome: 'completed',
        http_status: 200,
      });
      expect(BigInt(row.cost_pico)).toBe(await expectedCost(at, row));
      expect(BigInt(row.cost_pico)).toBeGreaterThan(0n);
      expect(await books.entriesOf(requestId)).toEqual({ entries: expect.any(Number), sum: '0' });
    },
  );
});

test('every kind of token is metered apart and priced by its own price', async () => {
  const usage = { input: 100, output: 50, cache_read: 30, cache_write: 20, cache_write_1h: 10, reasoning: 7 };
  const answer = await fetch(`${at.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': at.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-claude',
      max_tokens: 50,
      messages: [{ role: 'user', content: `[[sim ${JSON.stringify({ usage })}]]` }],
    }),
  });
  expect(answer.status).toBe(200);
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({
    tokens_input: '40',
    tokens_cache_read: '30',
    tokens_cache_write: '20',
    tokens_cache_write_1h: '10',
    tokens_output: '43',
    tokens_output_reasoning: '7',
  });
  // By the price list of the first catalogue, in micro-USD per million tokens.
  expect(row.cost_pico).toBe(
    String(40 * 3_000_000 + 30 * 300_000 + 20 * 3_750_000 + 10 * 6_000_000 + 50 * 15_000_000),
  );
});

test('the whole ledger sums to zero', async () => {
  const { sum } = await books.one(
    'SELECT coalesce(sum(amount_pico), 0)::text AS sum FROM billing.ledger_entry',
  );
  expect(sum).toBe('0');
});

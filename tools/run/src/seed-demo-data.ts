import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { postDemoPast } from './demo-past.ts';
import { seedDemoBooks } from './seed-demo-books.ts';
import { readDemoInvoice } from './demo-invoice.ts';
import type { OwnStack } from './own-stack.ts';

const KEYS = [
  { name: 'Support assistant', budgets: { daily_usd: '120', monthly_usd: '2500' } },
  { name: 'Nightly reports', budgets: { daily_usd: '60' }, group: 'vip' },
  { name: 'Search index', limits: { requests_per_minute: 600, tokens_per_minute: 2_000_000 } },
  { name: 'Mobile app, beta', expires_at: '2031-03-31T00:00:00Z', strict: true },
  { name: 'Code review', group: 'vip', budgets: { total_usd: '800' } },
  { name: 'Old prototype', status: 'disabled' },
];

const QUESTIONS = [
  { model: 'sim-chat', max_tokens: 2_000, text: 'Summarise the ticket and propose an answer. '.repeat(24) },
  { model: 'sim-claude', max_tokens: 4_000, text: 'Review this change for mistakes. '.repeat(180) },
  { model: 'sim-gemini', max_tokens: 1_000, text: 'Which of these pages answers the question? '.repeat(60) },
  { model: 'sim-responses', max_tokens: 3_000, text: 'Plan the steps of the migration. '.repeat(40) },
];

const ROUNDS = 12;

/** What a model costs from a round on, for its history to have steps. */
const PRICES = [
  { round: 3, input: 2_600_000, output: 13_000_000 },
  { round: 6, input: 3_400_000, output: 16_000_000 },
  { round: 9, input: 2_400_000, output: 12_000_000 },
];

/** Makes keys and sends requests with them, so that pages have something to show. */
export async function seedDemoData({ baseUrl, databaseUrl, redisUrl, admin }: OwnStack): Promise<void> {
  const signedIn = await call(`${baseUrl}/api/auth/login`, 'POST', admin);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const secrets: string[] = [];
  for (const { status, ...request } of KEYS) {
    const made = (await (await call(`${baseUrl}/api/keys`, 'POST', request, { cookie })).json()) as {
      id: string;
      key: string;
    };
    if (status) await call(`${baseUrl}/api/keys/${made.id}`, 'PATCH', { status }, { cookie });
    else secrets.push(made.key);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const prices = PRICES.find((each) => each.round === round);
    if (prices) await changePrice(baseUrl, cookie, prices);
    for (const [index, secret] of secrets.entries()) {
      const question = QUESTIONS[(round + index) % QUESTIONS.length];
      if (question) await ask(baseUrl, secret, { ...question, text: question.text.repeat(1 + (round % 4)) });
    }
  }
  await waitFor(
    async () => {
      const page = await call(`${baseUrl}/api/usage?limit=500`, 'GET', undefined, { cookie });
      return ((await page.json()) as { items: unknown[] }).items.length === ROUNDS * secrets.length;
    },
    'the usage of the requests',
    10_000,
  );
  await postDemoPast({ databaseUrl, redisUrl });
  await call(`${baseUrl}/api/auth/profile`, 'PATCH', { name: 'Ada Lovelace' }, { cookie });
  await invitePeople(baseUrl, cookie);
  await call(
    `${baseUrl}/api/finance/reconciliations?upstream=simulator&time_zone=UTC&tolerance_percent=0.5&input_includes_cached=false`,
    'POST',
    await readDemoInvoice(databaseUrl),
    { cookie },
  );
  await seedDemoBooks((method, path, body, headers = {}) =>
    call(`${baseUrl}${path}`, method, body, { cookie, ...headers }).then((answer) => answer.json()),
  );
  await auditBooks(baseUrl, cookie);
}

const PEOPLE = [
  { email: 'grace@tollgate.example', role: 'admin', name: 'Grace Hopper' },
  { email: 'edsger@tollgate.example', role: 'finance', name: 'Edsger Dijkstra' },
  { email: 'barbara@tollgate.example', role: 'member', name: 'Barbara Liskov' },
  { email: 'tony@tollgate.example', role: 'member' },
];

/** Some come in, the last one does not yet. */
async function invitePeople(baseUrl: string, cookie: string): Promise<void> {
  const answer = await call(`${baseUrl}/api/auth/session`, 'GET', undefined, { cookie });
  const { account_id } = (await answer.json()) as { account_id: string };
  for (const { name, ...request } of PEOPLE) {
    const invited = await call(`${baseUrl}/api/accounts/${account_id}/invites`, 'POST', request, { cookie });
    const { token } = (await invited.json()) as { token: string };
    if (name === undefined) continue;
    const password = randomBytes(12).toString('base64url');
    await call(`${baseUrl}/api/links/use`, 'POST', { token, name, password });
  }
}

/** Pictures of books that are out of balance would show what no customer may ever see. */
async function auditBooks(baseUrl: string, cookie: string): Promise<void> {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call(`${baseUrl}/api/ledger/audits${path}`, method, body, { cookie });
    return (await answer.json()) as { id: string; verified: boolean | null };
  };
  let audit = await ask('POST', '', { from_start: true });
  for (; audit.verified === null; await sleep(500)) audit = await ask('GET', `/${audit.id}`);
  if (!audit.verified) throw new Error(`the books are wrong: ${JSON.stringify(audit)}`);
}

const changePrice = (
  baseUrl: string,
  cookie: string,
  { input, output }: (typeof PRICES)[number],
): Promise<Response> =>
  call(
    `${baseUrl}/api/catalogue/models/sim-claude`,
    'PUT',
    {
      vendor: 'anthropic',
      description: 'A coding model',
      tags: ['simulated'],
      prices: {
        input,
        output,
        cache_read: input / 10,
        cache_write: (input * 5) / 4,
        cache_write_1h: input * 2,
      },
      context_window: 200_000,
      max_output_tokens: 64_000,
    },
    { cookie },
  );

const ask = (baseUrl: string, secret: string, question: (typeof QUESTIONS)[number]): Promise<unknown> =>
  call(
    `${baseUrl}/v1/chat/completions`,
    'POST',
    {
      model: question.model,
      max_tokens: question.max_tokens,
      messages: [{ role: 'user', content: question.text }],
    },
    { authorization: `Bearer ${secret}` },
  ).then((answer) => answer.text());

async function call(
  url: string,
  method: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(body ? { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' } : {}),
    },
    ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

import { waitFor } from '@tollgate/harness';
import { furnishBooks } from './furnish-books.ts';
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

/** Makes keys and sends requests with them, so that pages have something to show. */
export async function furnish({ baseUrl, admin }: OwnStack): Promise<void> {
  const signedIn = await call(`${baseUrl}/api/auth/login`, 'POST', admin);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const secrets: string[] = [];
  for (const { status, ...wanted } of KEYS) {
    const made = (await (await call(`${baseUrl}/api/keys`, 'POST', wanted, { cookie })).json()) as {
      id: string;
      key: string;
    };
    if (status) await call(`${baseUrl}/api/keys/${made.id}`, 'PATCH', { status }, { cookie });
    else secrets.push(made.key);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
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
  await furnishBooks((method, path, body, headers = {}) =>
    call(`${baseUrl}${path}`, method, body, { cookie, ...headers }).then((answer) => answer.json()),
  );
}

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
  body?: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

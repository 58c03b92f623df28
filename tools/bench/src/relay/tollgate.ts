import { randomBytes } from 'node:crypto';
import { type RunningStack, waitFor } from '@tollgate/harness';

/** The stack that is measured, beside its front door. */
export interface Tollgate {
  readonly baseUrl: string;
  /** Calls the admin API as the owner. @throws for any answer that is no success. */
  admin<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>;
  readonly key: string;
  readonly databaseUrl: string;
  readonly accountId: string;
}

export const OWNER = { email: 'owner@bench.example', password: randomBytes(16).toString('hex') };

/** The public routes are measured, not their limit for one address. */
export const OPEN = { PUBLIC_REQUESTS_PER_MINUTE: '100000000' };

/** So high that nobody meets it, and a limit all the same: it is charged for every request. */
const LIMITS = { requests_per_minute: 100_000_000, tokens_per_minute: 10_000_000_000 };

/** Routes what is measured to the lean upstream, with limits that are charged and never met. */
export async function prepareTollgate(stack: RunningStack, upstreamUrl: string): Promise<Tollgate> {
  const { baseUrl, databaseUrl, accountId } = stack;
  const login = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  });
  if (!login.ok) throw new Error(`sign-in failed with ${login.status}: ${await login.text()}`);
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const admin = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  };
  await admin('PUT', '/api/catalogue/limits', { client: LIMITS, key: LIMITS, route: {} });
  const credentials = ['a', 'b'].map((name) => ({ name, secret: `credential-${name}` }));
  for (const [upstream, count] of [
    ['lean', 1],
    ['lean-pair', 2],
  ] as const)
    await admin('PUT', `/api/catalogue/upstreams/${upstream}`, {
      base_url: upstreamUrl,
      protocols: ['openai-chat'],
      credentials: credentials.slice(0, count),
      allow_private_addresses: true,
    });
  for (const name of ['lean', 'renamed', 'pooled'])
    await admin('PUT', `/api/catalogue/models/${name}`, {
      vendor: 'openai',
      prices: { input: 1_000_000, output: 3_000_000 },
      max_output_tokens: 4_000,
    });
  await admin('PUT', '/api/catalogue/groups/bench', {
    ratio: '1',
    models: ['*'],
    limits: LIMITS,
  });
  // Where more than one credential may be asked, the gateway notes which of them reasoned.
  await admin('PUT', '/api/catalogue/pools/pooled?before=simulated', {
    groups: ['bench'],
    models: ['pooled'],
    members: [{ upstream: 'lean-pair' }],
  });
  await admin('PUT', '/api/catalogue/pools/bench?before=simulated', {
    groups: ['bench'],
    models: ['*'],
    members: [{ upstream: 'lean', model_map: { renamed: 'lean' } }],
  });
  const { key } = await admin<{ key: string }>('POST', '/api/keys', { name: 'bench', group: 'bench' });
  await waitFor(async () => {
    const answer = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    return (await answer.text()).includes('renamed');
  }, 'the models of the benchmark');
  return { baseUrl, admin, key, databaseUrl, accountId };
}

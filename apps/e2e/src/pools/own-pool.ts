import { waitFor } from '@tollgate/harness';
import { startSimulator } from '@tollgate/simulator';
import { type Answer, call } from '../call.ts';
import { admin, type TestStack, makeKey } from '../shared-stack.ts';

/** A simulated upstream of one test file: its scripts and counts are nobody else's. */
export interface OwnSimulator {
  readonly url: string;
  /** How it behaves from now on; to everybody, or to one credential or model. */
  script(script: object, scope?: { credential?: string; model?: string }): Promise<void>;
  requests(credential?: string): Promise<OwnRequest[]>;
  /** Forgets scripts and requests. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

interface OwnRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function startOwnSimulator(): Promise<OwnSimulator> {
  const simulator = await startSimulator();
  const control = async (method: string, path: string, body?: object) => {
    const url = `${simulator.url}/__sim/${path}`;
    const answer = await fetch(url, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text;
  };
  return {
    url: simulator.url,
    script: async (script, scope = {}) =>
      void (await control('PUT', `script?${new URLSearchParams(scope).toString()}`, script)),
    async requests(credential) {
      const all = JSON.parse(await control('GET', 'requests')) as OwnRequest[];
      return credential === undefined
        ? all
        : all.filter(({ headers }) =>
            [headers['authorization']?.replace('Bearer ', ''), headers['x-api-key']].includes(credential),
          );
    },
    async reset() {
      await control('DELETE', 'script');
      await control('DELETE', 'requests');
    },
    close: () => simulator.close(),
  };
}

let made = 0;
/** A name that no other test file and no earlier test has. */
export const ownName = (what: string): string => `${what}-${process.pid}-${(made += 1)}`;

/** An upstream of a simulator with credentials that are named as their secrets. */
export async function putUpstream(
  at: TestStack,
  name: string,
  url: string,
  secrets: readonly string[],
  more: object = {},
): Promise<string> {
  await admin(at, 'PUT', `/api/catalogue/upstreams/${name}`, {
    base_url: url,
    protocols: ['openai-chat'],
    credentials: secrets.map((secret) => ({ name: secret, secret })),
    allow_private_addresses: true,
    ...more,
  });
  return name;
}

export const putModel = (at: TestStack, name: string, more: object = {}): Promise<object> =>
  admin(at, 'PUT', `/api/catalogue/models/${name}`, {
    vendor: 'openai',
    prices: { input: 1_000_000, output: 2_000_000 },
    max_output_tokens: 1_000,
    ...more,
  });

export const putPool = (
  at: TestStack,
  name: string,
  models: readonly string[],
  pool: object,
): Promise<object> =>
  admin(at, 'PUT', `/api/catalogue/pools/${name}?before=simulated`, { groups: ['*'], models, ...pool });

/** A key of a group, once every gateway serves its models. */
export async function keyFor(at: TestStack, group: string, models: readonly string[]): Promise<string> {
  const { key } = await makeKey(at, { group });
  for (const url of at.gatewayUrls) {
    await waitFor(async () => {
      const { text } = await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return models.every((model) => text.includes(`"${model}"`));
    }, `the models ${models.join()}`);
  }
  return key;
}

/** A model with a pool and a group of its own, all of one name. */
export async function makeOwnPool(
  at: TestStack,
  pool: { members: readonly object[] } & Record<string, unknown>,
  more: { group?: object; model?: object; named?: string } = {},
): Promise<{ model: string; key: string }> {
  const name = ownName(more.named ?? 'own');
  await putModel(at, name, more.model);
  await putPool(at, name, [name], pool);
  await admin(at, 'PUT', `/api/catalogue/groups/${name}`, { ratio: '1', models: [name], ...more.group });
  return { model: name, key: await keyFor(at, name, [name]) };
}

export const ask = (
  url: string,
  { key, model }: { key: string; model: string },
  more: { body?: object; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Answer> =>
  call(`${url}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}`, ...more.headers },
    body: { model, messages: [{ role: 'user', content: 'Hello' }], ...more.body },
    ...(more.signal ? { signal: more.signal } : {}),
  });

export const requestId = ({ headers }: Answer): string => headers.get('x-request-id') ?? '';

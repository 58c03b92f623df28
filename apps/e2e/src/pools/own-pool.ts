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

/** What a draft puts into the catalogue. */
type Put = ReturnType<typeof put>;
const put = (section: 'groups' | 'models' | 'pools' | 'upstreams', name: string, entry: object) => ({
  op: 'put',
  section,
  entry: { name, ...entry },
  ...(section === 'pools' ? { before: 'simulated' } : {}),
});

/** Entries in one version: a version for each is what a stack of many tests would spend its time on. */
export async function publish(at: TestStack, changes: readonly Put[]): Promise<void> {
  const name = ownName('entries');
  await admin(at, 'PUT', `/api/catalogue/drafts/${name}`, { reason: 'End to end', changes });
  await admin(at, 'POST', `/api/catalogue/drafts/${name}/publish`, {});
}

/** An upstream of a simulator with credentials that are named as their secrets. */
export const toUpstream = (name: string, url: string, secrets: readonly string[], more: object = {}): Put =>
  put('upstreams', name, {
    base_url: url,
    protocols: ['openai-chat'],
    credentials: secrets.map((secret) => ({ name: secret, secret })),
    allow_private_addresses: true,
    ...more,
  });

export const toModel = (name: string, more: object = {}): Put =>
  put('models', name, {
    vendor: 'openai',
    prices: { input: 1_000_000, output: 2_000_000 },
    max_output_tokens: 1_000,
    ...more,
  });

export const toPool = (name: string, models: readonly string[], pool: object): Put =>
  put('pools', name, { groups: ['*'], models, ...pool });

export const toGroup = (name: string, models: readonly string[], more: object = {}): Put =>
  put('groups', name, { ratio: '1', models, ...more });

function putOne(at: TestStack, { section, entry, before }: Put): Promise<object> {
  const { name, ...body } = entry;
  const query = before === undefined ? '' : `?before=${before}`;
  return admin(at, 'PUT', `/api/catalogue/${section}/${name}${query}`, body);
}

export async function putUpstream(
  at: TestStack,
  ...upstream: Parameters<typeof toUpstream>
): Promise<string> {
  await putOne(at, toUpstream(...upstream));
  return upstream[0];
}

export const putModel = (at: TestStack, ...model: Parameters<typeof toModel>): Promise<object> =>
  putOne(at, toModel(...model));

export const putPool = (at: TestStack, ...pool: Parameters<typeof toPool>): Promise<object> =>
  putOne(at, toPool(...pool));

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
  await publish(at, [
    toModel(name, more.model),
    toPool(name, [name], pool),
    toGroup(name, [name], more.group),
  ]);
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

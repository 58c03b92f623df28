import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { upstreamInputSchema, upstreamSchema } from '@tollgate/catalogue';
import { addDefaultHeaders, CODECS, findTaskFormat, findWrapping, TASK_CODECS } from '@tollgate/protocols';
import { guessOperations, PROVIDERS, type Provider, toUpstream } from '@tollgate/providers';
import { type Protocol, TASK_FORMATS, type TaskFormat, TASKS } from '@tollgate/vocabulary';
import { createUpstreamAuth } from '../upstream-auth/registry.ts';
import { findModelsTarget, findUpstreamTarget } from './upstream-target.ts';

// Where every known provider is asked, and with which headers: UPDATE_GOLDEN=1 writes the file again.
const FILE = join(import.meta.dirname, 'golden', 'provider-addresses.json');
const update = process.env['UPDATE_GOLDEN'] === '1';

const MODEL = 'vendor/model:1';
const ACCESS_KEY = JSON.stringify({ access_key_id: 'AKIAEXAMPLE', secret_access_key: 'not-a-secret' });
/** Whoever is asked for a token sends it so. */
const TOKEN = 'authorization';

type Way = Provider['ways'][number];

const makeUpstream = (provider: Provider, way: Way) => {
  const fields = [...(provider.fields ?? []), ...(way.fields ?? [])];
  const { credentials: _credentials, ...input } = upstreamInputSchema.parse(
    toUpstream(provider, {
      way: way.name,
      secret: 'secret',
      fields: Object.fromEntries(fields.map(({ name, example }) => [name, example])),
    }),
  );
  return upstreamSchema.parse({ ...input, costs: {} });
};
type Made = ReturnType<typeof makeUpstream>;

const listOperations = (protocol: Protocol) => {
  const { upstreamPath } = CODECS[protocol];
  const paths = ['generate', 'stream'].map((action) =>
    upstreamPath({ model: MODEL, action: action as 'generate' }),
  );
  const stream =
    paths[0] === paths[1]
      ? ({ action: 'generate', stream: true } as const)
      : ({ action: 'stream', stream: true } as const);
  return [
    ['generate', { action: 'generate' }],
    ['stream', { ...stream, query: CODECS[protocol].streamRequest.query }],
    ['count', { action: 'count' }],
    ['models', { action: 'models' }],
  ] as const;
};

/** Each task that a model of the list is for, or that has a path, where it is asked for. */
function listTaskAddresses(upstream: Made, { models }: Provider): [string, string][] {
  const { origin } = new URL(upstream.base_url);
  return TASKS.flatMap((task) => {
    const model = models.find(({ name, operations }) => (operations ?? guessOperations(name)).includes(task));
    const stated = Object.values(upstream.paths ?? {}).some((each) => each[task] !== undefined);
    if (!model && !stated) return [];
    const name = model?.upstream_name ?? model?.name ?? MODEL;
    const [format] = TASK_FORMATS[task].filter((each: TaskFormat) => TASK_CODECS[task].clients[each]);
    const found = findTaskFormat(
      { task, format: format ?? 'openai' },
      upstream.protocols,
      upstream.task_formats?.[task],
      name,
    );
    if (!found) throw new Error(`nobody can be asked there to ${task}`);
    const path = findUpstreamTarget(upstream, {
      protocol: found.protocol,
      action: 'generate',
      task: { task, format: found.format },
      model: name,
    });
    return [[`${task} as ${found.format}`, `POST ${origin}${path}`] as [string, string]];
  });
}

/** Some vendors hold no conversations at all. */
const converses = ({ models, paths, own_machine }: Provider): boolean =>
  own_machine
    ? paths === undefined
    : models.length === 0 ||
      models.some(
        ({ name, operations }) => operations?.includes('generate') ?? guessOperations(name).length === 0,
      );

function listAddresses(upstream: Made, provider: Provider): Record<string, string> {
  const origin = new URL(upstream.base_url).origin;
  const lists = (upstream.model_lists ?? []).map((url, at) => [`model list ${at + 1}`, `GET ${url}`]);
  const addresses = upstream.protocols.flatMap((protocol) =>
    listOperations(protocol).flatMap(([name, { action, ...more }]) => {
      if (action !== 'models' && !converses(provider)) return [];
      if (action === 'count' && CODECS[protocol].countedTokens === undefined) return [];
      if (action === 'models' && findModelsTarget(upstream, protocol) === undefined) return [];
      const path = findUpstreamTarget(upstream, { protocol, action, model: MODEL, ...more });
      return [[`${protocol} ${name}`, `${action === 'models' ? 'GET' : 'POST'} ${origin}${path}`]];
    }),
  );
  return Object.fromEntries([...addresses, ...listTaskAddresses(upstream, provider), ...lists]);
}

/** Names only. */
async function listHeaders(upstream: Made, way: Way): Promise<Record<string, string>> {
  const kind = upstream.auth?.kind ?? 'static';
  const found = upstream.protocols.map(async (protocol): Promise<[string, string]> => {
    const own = addDefaultHeaders(protocol, { 'content-type': 'application/json' });
    const plain = Object.assign(own, upstream.set_headers);
    const body = Buffer.from('{}');
    const wrapped = findWrapping(upstream.wrapping, protocol)?.wrap(
      { headers: plain, body },
      { model: MODEL, action: 'generate' },
    );
    const headers = { ...(wrapped?.headers ?? plain) };
    const secret = way.secret === 'none' ? null : kind === 'aws' ? ACCESS_KEY : 'secret';
    const auth = createUpstreamAuth({ upstream, secret, ambientHosts: [], logger: { warn: () => {} } });
    const { origin } = new URL(upstream.base_url);
    const path = findUpstreamTarget(upstream, { protocol, action: 'generate', model: MODEL });
    const sent =
      kind === 'google' || kind === 'azure'
        ? { ...headers, [TOKEN]: '' }
        : await auth.applyAuth({ method: 'POST', origin, path, protocol, headers, body });
    return [protocol, Object.keys(sent).sort().join(' ')];
  });
  return Object.fromEntries(await Promise.all(found));
}

const golden = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;

afterAll(() => {
  if (update) writeFileSync(FILE, `${JSON.stringify(golden, null, 2)}\n`);
});

test.each(PROVIDERS.map((provider): [string, Provider] => [provider.name, provider]))(
  '%s is asked at these addresses, with these headers',
  async (name, provider) => {
    const upstreams = provider.ways.map((way) => ({ way, upstream: makeUpstream(provider, way) }));
    const [first] = upstreams;
    const headers = await Promise.all(
      upstreams.map(async ({ way, upstream }) => [way.name, await listHeaders(upstream, way)]),
    );
    const outcome = {
      addresses: first && listAddresses(first.upstream, provider),
      headers: Object.fromEntries(headers) as object,
    };
    if (update) golden[name] = outcome;
    expect(outcome).toEqual(golden[name]);
  },
);

test('no address is kept of a provider that is not known any more', () => {
  expect(Object.keys(golden)).toEqual(PROVIDERS.map(({ name }) => name));
});

import { findProvider, type ProviderSettings, toUpstream } from '@tollgate/providers';
import { z } from 'zod';
import { parseJson } from '../move.ts';
import type { Channel } from './rows.ts';

type Upstream = ReturnType<typeof toUpstream>;

/** A channel of a cloud as an upstream: where it is, and what proves who asks. */
export interface CloudAccess {
  readonly access: Omit<Upstream, 'name' | 'credentials' | 'set_headers' | 'set_parameters'>;
  readonly secrets: readonly string[];
  /** One channel may serve models of several vendors, each with an upstream of its own. */
  readonly suffix: string;
  readonly serves: (model: string) => boolean;
  /** Their names at the cloud, where it has others. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether a name can be one of the cloud's own; left out, every one can. */
  readonly isName?: (model: string) => boolean;
}

/** What a channel of a cloud becomes; a text says why it cannot. */
type MoveCloud = (channel: Channel, tell: (note: string) => void) => readonly CloudAccess[] | string;

const findLines = ({ key }: Channel): string[] =>
  key
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function accessOf(preset: string, settings: ProviderSettings): Pick<CloudAccess, 'access' | 'names'> {
  const provider = findProvider(preset);
  if (provider === undefined) throw new Error(`There is no provider ${preset}.`);
  const {
    name: _n,
    credentials: _c,
    set_headers: _h,
    set_parameters: _p,
    ...access
  } = toUpstream(provider, {
    secret: 'none-yet',
    ...settings,
  });
  const renamed = provider.models.flatMap(({ name, upstream_name: theirs }): [string, string][] =>
    theirs === undefined ? [] : [[name, theirs]],
  );
  return { access, names: new Map(renamed) };
}

const isClaude = (model: string): boolean => /(?:^|[./])claude/.test(model);
const isOther = (model: string): boolean => !isClaude(model);
const STABLE = '2024-10-21';
/** What new-api asks for where a channel says nothing. */
const AZURE_VERSION = '2025-04-01-preview';

const moveAzure: MoveCloud = (channel, tell) => {
  const base_url = channel.base_url.trim().replace(/\/+$/, '');
  if (base_url === '') return 'it has no base_url, which names the resource';
  const version = channel.other.trim() || AZURE_VERSION;
  const { access, names } = accessOf('azure-openai-classic', { base_url });
  const { dialects, ...own } = access;
  tell(
    'names of models are names of deployments; new-api leaves dots out of those of older channels: look at model_map',
  );
  const paths = {
    'openai-chat': {
      generate: `/openai/deployments/{model}/chat/completions?api-version=${version}`,
      models: `/openai/models?api-version=${version}`,
    },
  };
  return [
    {
      access: { ...own, paths, ...(version === STABLE && dialects && { dialects }) },
      secrets: findLines(channel),
      suffix: '',
      serves: () => true,
      names,
    },
  ];
};

/** Its key is `access key|secret key|region`, or `API key|region`. */
const moveAws: MoveCloud = (channel, tell) => {
  const keys = findLines(channel).map((line) => line.split('|').map((part) => part.trim()));
  const [first] = keys;
  const region = first?.at(-1);
  if (first === undefined || region === undefined || ![2, 3].includes(first.length))
    return 'its key is neither "access key|secret key|region" nor "API key|region"';
  const taken = keys.filter((key) => key.length === first.length && key.at(-1) === region);
  if (taken.length < keys.length) tell(`keys of another region than ${region} are left out`);
  const way = first.length === 3 ? 'access-key' : 'api-key';
  const secrets = taken.map(([id = '', secret = '']) =>
    first.length === 3 ? JSON.stringify({ access_key_id: id, secret_access_key: secret }) : id,
  );
  const fields = { region };
  const isName = (model: string) => model.includes('.');
  return [
    {
      ...accessOf('bedrock-anthropic', { way, fields }),
      secrets,
      suffix: '-claude',
      serves: isClaude,
      isName,
    },
    { ...accessOf('bedrock', { way, fields }), secrets, suffix: '', serves: isOther, isName },
  ];
};

const serviceAccount = z.looseObject({ project_id: z.string() });

/** Its key is the JSON of a service account, `other` a location or one for each model. */
const moveVertex: MoveCloud = (channel, tell) => {
  const json = parseJson(channel.key);
  const accounts = (Array.isArray(json) ? json : [json]).flatMap(
    (each) => serviceAccount.safeParse(each).data ?? [],
  );
  const [first] = accounts;
  if (first === undefined) return 'its key is not the JSON of a service account';
  const taken = accounts.filter(({ project_id }) => project_id === first.project_id);
  if (taken.length < accounts.length) tell(`keys of another project than ${first.project_id} are left out`);
  const regions = z.record(z.string(), z.string()).safeParse(parseJson(channel.other)).data;
  const location = regions?.['default'] ?? (regions ? undefined : channel.other.trim()) ?? 'global';
  const others = Object.keys(regions ?? {}).filter((model) => model !== 'default');
  if (others.length > 0)
    tell(`locations of single models are left out: ${others.join(', ')} go to ${location}`);
  const settings = { fields: { project: first.project_id, location: location || 'global' } };
  const secrets = taken.map((each) => JSON.stringify(each));
  return [
    {
      ...accessOf('vertex-anthropic', settings),
      secrets,
      suffix: '-claude',
      serves: isClaude,
      isName: (model: string) => model.includes('@'),
    },
    { ...accessOf('vertex', settings), secrets, suffix: '', serves: isOther },
  ];
};

/** Cloudflare's account stands in its address. */
const moveCloudflare: MoveCloud = (channel) => {
  const account = channel.other.trim();
  if (!/^[A-Za-z0-9]+$/.test(account)) return 'it does not say the id of its account';
  const origin = channel.base_url.trim().replace(/\/+$/, '') || 'https://api.cloudflare.com';
  return [
    {
      access: { base_url: `${origin}/client/v4/accounts/${account}/ai/v1`, protocols: ['openai-chat'] },
      secrets: findLines(channel),
      suffix: '',
      serves: () => true,
      names: new Map<string, string>(),
    },
  ];
};

export const CLOUD_TYPES: Readonly<Record<number, { readonly name: string; readonly move: MoveCloud }>> = {
  3: { name: 'Azure', move: moveAzure },
  33: { name: 'AWS', move: moveAws },
  39: { name: 'Cloudflare', move: moveCloudflare },
  41: { name: 'VertexAI', move: moveVertex },
};

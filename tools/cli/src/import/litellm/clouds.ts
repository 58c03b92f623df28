import { findProvider as findKnown, type ProviderSettings, toUpstream } from '@tollgate/providers';
import type { ModelOperation } from '@tollgate/vocabulary';
import type { Deployment } from './config.ts';

export type Params = Deployment['litellm_params'];
type Upstream = ReturnType<typeof toUpstream>;
/** A value of the file, or of the variable that it names. */
export type Read = (name: string, ...variables: string[]) => string | undefined;

/** Where a deployment goes, and what proves who asks. */
export interface Found {
  readonly upstream: Omit<Upstream, 'name' | 'credentials' | 'set_headers' | 'set_parameters'>;
  /** The model as the provider calls it. */
  readonly model: string;
  /** Made of several values of the file, or the word `ambient`; undefined where `api_key` is it. */
  readonly secret?: string;
  /** What is not carried, by name. */
  readonly leftOut: readonly string[];
}

/** A deployment of one provider; a text says why it cannot come over. */
export type Find = (of: {
  readonly params: Params;
  readonly model: string;
  readonly read: Read;
  /** What the model is for: some vendors take tasks at another address. */
  readonly operation: ModelOperation;
}) => Found | string;

export function makeUpstream(preset: string, settings: ProviderSettings): Found['upstream'] {
  const provider = findKnown(preset);
  if (provider === undefined) throw new Error(`There is no provider ${preset}.`);
  const {
    name: _n,
    credentials: _c,
    set_headers: _h,
    set_parameters: _p,
    ...upstream
  } = toUpstream(provider, {
    secret: 'none-yet',
    ...settings,
  });
  return upstream;
}

export const azure: Find = ({ params, model, read, operation }) => {
  const base_url = read('api_base', 'AZURE_API_BASE')?.replace(/\/+$/, '');
  if (base_url === undefined) return 'it names no api_base, which is the address of the resource';
  const version = read('api_version', 'AZURE_API_VERSION') ?? '2024-10-21';
  const way = azureWay(read, params.api_key);
  if (way === undefined)
    return 'its azure_ad_token lasts for a while only: give it a client_secret or an api_key';
  const { secret, ...settings } = way;
  const isV1 = /^(?:v1|preview|latest)$/.test(version) || base_url.endsWith('/openai/v1');
  const made = makeUpstream(isV1 ? 'azure-openai' : 'azure-openai-classic', {
    ...settings,
    base_url: isV1 && !base_url.endsWith('/openai/v1') ? `${base_url}/openai/v1` : base_url,
  });
  const { dialects, ...rest } = made;
  const paths = {
    'openai-chat': {
      generate: `/openai/deployments/{model}/chat/completions?api-version=${version}`,
      models: `/openai/models?api-version=${version}`,
      // Of the versions that stand in a query none opens sessions as they are served here.
      ...(operation === 'realtime' && { realtime: '/openai/v1/realtime' }),
    },
  };
  return {
    upstream: isV1 ? made : { ...rest, paths, ...(version === '2024-10-21' && dialects && { dialects }) },
    model,
    ...(secret !== undefined && { secret }),
    leftOut: [],
  };
};

/** By a key, an app, or the gateway's own identity. */
function azureWay(
  read: Read,
  apiKey: string | undefined,
): (Pick<ProviderSettings, 'way' | 'fields'> & { readonly secret?: string }) | undefined {
  const [tenant_id, client_id, client_secret] = [
    read('tenant_id', 'AZURE_TENANT_ID'),
    read('client_id', 'AZURE_CLIENT_ID'),
    read('client_secret', 'AZURE_CLIENT_SECRET'),
  ];
  if (apiKey !== undefined) return { way: 'key' };
  if (tenant_id !== undefined && client_id !== undefined && client_secret !== undefined)
    return { way: 'client-secret', fields: { tenant_id, client_id }, secret: client_secret };
  return read('azure_ad_token') === undefined ? { way: 'ambient', secret: 'ambient' } : undefined;
}

/** Foundry: Anthropic's models below `/anthropic`, all others as OpenAI's. */
export const azureAi: Find = ({ params, model, read }) => {
  const base_url = read('api_base', 'AZURE_AI_API_BASE')?.replace(/\/+$/, '');
  if (base_url === undefined) return 'it names no api_base, which is the address of the resource';
  if (params.api_key === undefined) return 'it has no api_key';
  const { origin, pathname } = new URL(base_url);
  const isClaude = model.startsWith('claude');
  const upstream = isClaude
    ? makeUpstream('azure-anthropic', { base_url: `${origin}/anthropic` })
    : makeUpstream('azure-openai', {
        base_url: /\/(?:v1|models)$/.test(pathname) ? base_url : `${origin}/openai/v1`,
      });
  return { upstream, model, leftOut: params.api_version === undefined || isClaude ? [] : ['api_version'] };
};

/** LiteLLM writes how a model is asked for before its name. */
const BEDROCK_ROUTES = /^(converse|converse_like|invoke|anthropic|mantle)\//;

export const bedrock: Find = ({ params, model: named, read }) => {
  const model = named.replace(BEDROCK_ROUTES, '');
  if (/^(?:agent|agentcore|arn:|deepseek_r1\/|llama\/|qwen\d?\/|nova\/)/.test(model))
    return 'an agent, an ARN or an imported model of Bedrock cannot be asked for here';
  const region = read('aws_region_name', 'AWS_REGION_NAME', 'AWS_REGION');
  if (region === undefined) return 'it names no aws_region_name';
  const isInvoked = /(?:^|\.)anthropic\./.test(model) && !named.startsWith('converse');
  const [id, key] = [
    read('aws_access_key_id', 'AWS_ACCESS_KEY_ID'),
    read('aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY'),
  ];
  const token = read('aws_session_token');
  const hasKeys = id !== undefined && key !== undefined;
  const way = params.api_key !== undefined ? 'api-key' : hasKeys ? 'access-key' : 'ambient';
  const base_url = read('aws_bedrock_runtime_endpoint');
  const made = makeUpstream(isInvoked ? 'bedrock-anthropic' : 'bedrock', {
    way,
    fields: { region },
    base_url,
  });
  const role_arn = read('aws_role_name');
  const external_id = read('aws_external_id');
  const auth =
    made.auth?.kind === 'aws' && role_arn !== undefined
      ? { ...made.auth, role_arn, ...(external_id !== undefined && { external_id }) }
      : made.auth;
  const secret = hasKeys
    ? JSON.stringify({ access_key_id: id, secret_access_key: key, ...(token && { session_token: token }) })
    : 'ambient';
  return {
    upstream: { ...made, ...(auth && { auth }) },
    model,
    ...(way !== 'api-key' && { secret }),
    leftOut: ['aws_profile_name', 'aws_web_identity_token', 'aws_session_name', 'aws_sts_endpoint'].filter(
      (name) => params[name] !== undefined,
    ),
  };
};

export const vertex: Find = ({ params, model, read }) => {
  const stated = params['vertex_credentials'];
  const text =
    typeof stated === 'object' && stated !== null ? JSON.stringify(stated) : read('vertex_credentials');
  const isJson = text?.trimStart().startsWith('{') === true;
  const project = read('vertex_project', 'VERTEXAI_PROJECT') ?? (isJson ? projectOf(text) : undefined);
  const location = read('vertex_location', 'VERTEXAI_LOCATION') ?? 'us-central1';
  if (project === undefined) return 'it names no vertex_project';
  if (/^(?:openai\/|\d+$|meta\/|mistral|codestral|qwen\/|deepseek-ai\/|jamba)/.test(model))
    return 'of Vertex the models of Google and Anthropic can be reached here';
  if (text !== undefined && !isJson)
    return `its vertex_credentials are a file, ${text}: write what is in it in their place`;
  const way = text === undefined ? 'ambient' : 'service-account';
  const preset = model.startsWith('claude') ? 'vertex-anthropic' : 'vertex';
  return {
    upstream: makeUpstream(preset, { way, fields: { project, location }, base_url: read('api_base') }),
    model,
    secret: text ?? 'ambient',
    leftOut: [],
  };
};

function projectOf(json: string): string | undefined {
  try {
    const { project_id: id } = JSON.parse(json) as { project_id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

import { waitFor } from '@tollgate/harness';
import { appSecret, makeLongTermSecret } from '@tollgate/simulator/clouds';
import { type ClientProtocol, CLIENT_PROTOCOLS, type Protocol } from '@tollgate/vocabulary';
import { call } from './call.ts';
import { admin, type TestStack, makeKey } from './shared-stack.ts';

/** The credential of their upstreams. */
export const POOL_SECRET = 'simulator-credential';

interface CloudDoor {
  readonly format: Protocol;
  /** The model's name there, where it takes those of its vendor alone. */
  readonly model?: string;
  /** Below the simulator's address. */
  readonly path: string;
  readonly secret: (at: TestStack) => string | Promise<string>;
  readonly upstream?: (at: TestStack) => object;
}

const ENTRA_APP = { kind: 'azure', tenant_id: 'tenant', client_id: 'e2e' };
const ofApp = ({ simulatorUrl }: TestStack) => ({ auth: { ...ENTRA_APP, authority: simulatorUrl } });

const ACCESS_KEY = 'AKIASIME2E';
const BEDROCK_MODEL = 'us.anthropic.claude-sonnet-4-20250514-v1:0';

/** The doors of clouds, by the names that tests call them by. */
const CLOUD_DOORS = {
  'azure-v1': {
    format: 'openai-responses',
    path: '/azure/openai/v1',
    secret: () => appSecret('e2e'),
    upstream: ofApp,
  },
  'azure-classic': {
    format: 'openai-chat',
    path: '/azure',
    secret: () => 'azkey-e2e',
    upstream: () => ({
      auth: { kind: 'static', header: 'api-key' },
      paths: {
        'openai-chat': {
          generate: '/openai/deployments/{model}/chat/completions?api-version=2025-04-01-preview',
          models: '/openai/models?api-version=2025-04-01-preview',
        },
      },
    }),
  },
  foundry: {
    format: 'anthropic-messages',
    path: '/azure/anthropic',
    secret: () => appSecret('e2e'),
    upstream: (at) => ({ auth: { ...ofApp(at).auth, scope: 'https://ai.azure.com/.default' } }),
  },
  'vertex-gemini': {
    format: 'gemini',
    path: '/google/v1/projects/sim/locations/eu/publishers/google',
    secret: async ({ simulatorUrl }) =>
      (await call(`${simulatorUrl}/__sim/clouds/service-accounts/e2e`, { method: 'POST' })).text,
    upstream: () => ({
      auth: { kind: 'google' },
      paths: {
        gemini: {
          generate: '/models/{model}:generateContent',
          stream: '/models/{model}:streamGenerateContent?alt=sse',
          count: '/models/{model}:countTokens',
        },
      },
    }),
  },
  'vertex-anthropic': {
    format: 'anthropic-messages',
    model: 'claude-sonnet-4@20250514',
    path: '/google/v1/projects/sim/locations/eu/publishers/anthropic',
    secret: async ({ simulatorUrl }) =>
      (await call(`${simulatorUrl}/__sim/clouds/service-accounts/e2e`, { method: 'POST' })).text,
    upstream: () => ({ auth: { kind: 'google' }, wrapping: { 'anthropic-messages': 'vertex' } }),
  },
  'bedrock-invoke': {
    format: 'anthropic-messages',
    model: BEDROCK_MODEL,
    path: '/aws/bedrock-runtime',
    secret: () => 'bedrock-api-key-e2e',
    upstream: () => ({
      auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
      wrapping: { 'anthropic-messages': 'bedrock' },
    }),
  },
  converse: {
    format: 'bedrock-converse',
    model: BEDROCK_MODEL,
    path: '/aws/bedrock-runtime',
    secret: () =>
      JSON.stringify({ access_key_id: ACCESS_KEY, secret_access_key: makeLongTermSecret(ACCESS_KEY) }),
    upstream: () => ({ auth: { kind: 'aws', region: 'us-east-1' } }),
  },
} as const satisfies Readonly<Record<string, CloudDoor>>;

export type CloudDoorName = keyof typeof CLOUD_DOORS;
/** A vendor's own door is called by its format. */
export type Place = ClientProtocol | CloudDoorName;
export const CLOUD_DOOR_NAMES = Object.keys(CLOUD_DOORS) as CloudDoorName[];

/** The model that only an upstream of this format, or behind this door, serves. */
export const modelOn = (place: Place): string => `on-${place}`;

export const findDoor = (place: Place): CloudDoor =>
  place in CLOUD_DOORS
    ? CLOUD_DOORS[place as CloudDoorName]
    : { format: place as ClientProtocol, path: '', secret: () => POOL_SECRET };

/** The upstream that stands behind a door of the stack's simulator. */
export async function buildDoorUpstream(at: TestStack, place: Place): Promise<object> {
  const { format, path, secret, upstream } = findDoor(place);
  return {
    base_url: at.simulatorUrl + path,
    protocols: [format],
    credentials: [{ name: 'a', secret: await secret(at) }],
    allow_private_addresses: true,
    ...upstream?.(at),
  };
}

/**
 * For each place, by themselves each wire format, a model whose only upstream speaks only that, in a group of their own.
 *
 * @returns a key of that group, once every gateway serves the models.
 */
export async function makePools(
  at: TestStack,
  group: string,
  places: readonly Place[] = CLIENT_PROTOCOLS,
): Promise<string> {
  for (const place of places) {
    const upstream = await buildDoorUpstream(at, place);
    await admin(at, 'PUT', `/api/catalogue/upstreams/${group}-${place}`, upstream);
    await admin(at, 'PUT', `/api/catalogue/models/${modelOn(place)}`, {
      vendor: 'openai',
      prices: { input: 1_000_000, cache_read: 100_000, cache_write: 2_000_000, output: 3_000_000 },
      max_output_tokens: 4_000,
    });
  }
  await admin(at, 'PUT', `/api/catalogue/groups/${group}`, {
    ratio: '1',
    models: places.map(modelOn),
  });
  for (const place of places) {
    const { model } = findDoor(place);
    await admin(at, 'PUT', `/api/catalogue/pools/${group}-${place}?before=simulated`, {
      groups: [group],
      models: [modelOn(place)],
      members: [
        {
          upstream: `${group}-${place}`,
          model_map: model === undefined ? {} : { [modelOn(place)]: model },
        },
      ],
    });
  }
  const { key } = await makeKey(at, { group });
  for (const url of at.gatewayUrls) {
    await waitFor(async () => {
      const { text } = await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return places.every((place) => text.includes(modelOn(place)));
    }, 'the models of every format');
  }
  return key;
}

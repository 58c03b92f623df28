import type { ModelOperation } from '@tollgate/vocabulary';
import type { CatalogueFile } from '../catalogue/file-schema.ts';

type Entry<S extends 'vendors' | 'models' | 'groups' | 'upstreams' | 'pools'> = NonNullable<
  CatalogueFile[S]
>[0];

/** What another relay's data becomes here. */
export interface Move {
  readonly catalogue: {
    readonly vendors: readonly Entry<'vendors'>[];
    readonly models: readonly Entry<'models'>[];
    readonly groups: readonly Entry<'groups'>[];
    readonly upstreams: readonly Entry<'upstreams'>[];
    readonly pools: readonly Entry<'pools'>[];
    readonly auto_groups: readonly string[];
  };
  /** Secrets of upstreams by what the credentials refer to as `secret_env`; what is not here is in the environment. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly accounts: readonly MovedAccount[];
  /** What does not come over as it was, and why. */
  readonly notes: readonly string[];
  /** What an import from there never brings. */
  readonly never: string;
}

export interface MovedAccount {
  /** Names it here, and finds it again when the import is repeated. */
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** Billed from credit where nothing is said. */
  readonly mode?: 'prepaid' | 'postpaid';
  /** Decimal USD that it may spend. */
  readonly credit_usd: string;
  readonly keys: readonly MovedKey[];
}

/** The secret that clients have, or its SHA-256 and what is shown of it. */
export type MovedKey = KeySettings &
  ({ readonly key: string } | { readonly key_hash: string; readonly masked: string });

interface KeySettings {
  readonly name: string;
  readonly group: string;
  readonly status: 'active' | 'disabled';
  readonly expires_at: string | null;
  readonly budgets: {
    readonly total_usd: string | null;
    readonly daily_usd?: string;
    readonly monthly_usd?: string;
  };
  readonly limits?: {
    readonly requests_per_minute?: number;
    readonly tokens_per_minute?: number;
    readonly concurrent_requests?: number;
  };
  readonly models: readonly string[] | null;
  readonly allowed_addresses: readonly string[] | null;
}

/** Nothing is said of models for conversations: they are what a model is for that says nothing. */
export const forOperation = (
  operation: ModelOperation,
): { readonly operations?: readonly [ModelOperation] } =>
  operation === 'generate' ? {} : { operations: [operation] };

/** A model's vendor by its name, which other relays do not know. */
export function findVendor(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return VENDORS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

const VENDORS: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|o\d|chatgpt|text-embedding|(omni|text)-moderation|dall-e|codex|whisper|tts-)/, 'openai'],
  [/^claude/, 'anthropic'],
  [/^(gemini|gemma)/, 'google'],
  [/^deepseek/, 'deepseek'],
  [/^(qwen|qwq)/, 'alibaba'],
  [/^(command|embed-|rerank-)/, 'cohere'],
  [/^jina-/, 'jina'],
  [/^grok/, 'xai'],
  [/^(mi[sx]tral|codestral)/, 'mistral'],
  [/^llama/, 'meta'],
  [/^(kimi|moonshot)/, 'moonshot'],
  [/^(glm|chatglm)/, 'zhipu'],
];

/** A name that the catalogue takes, as near to a text as it can be. */
export const slug = (text: string): string =>
  text
    .replaceAll(/[^A-Za-z0-9._:/@-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)
    .replace(/-+$/, '');

/** Whether an upstream stands in a network of one's own, which a Tollgate connects to only when it is told so. */
export function isPrivate(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return (
    !/[.:]/.test(host) ||
    /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^\[(::1|f[cd])|\.(local|internal|lan)$/.test(host)
  );
}

/** Undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { mayHoldSecret, secretSchema } from '@tollgate/catalogue';
import { z } from 'zod';
import { fileUpstream } from '../../catalogue/file-schema.ts';
import { isPrivate, type Move, slug } from '../move.ts';
import { CHANNEL_TYPES, type ChannelType } from './channel-types.ts';
import type { Channel } from './rows.ts';

export interface MovedChannel {
  readonly channel: Channel;
  readonly upstream: Move['catalogue']['upstreams'][0];
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly modelMap: ReadonlyMap<string, string>;
}

/** A channel as an upstream; undefined, and a note, where there is nothing like it here. */
export function movedChannel(
  channel: Channel,
  secrets: Map<string, string>,
  notes: string[],
): MovedChannel | undefined {
  const what = `channel ${channel.id} "${channel.name}"`;
  const type = CHANNEL_TYPES[channel.type];
  if (!type) {
    notes.push(`${what}: left out, there is no upstream of the type ${channel.type} here`);
    return undefined;
  }
  const baseUrl = findBaseUrl(channel, type);
  if (baseUrl === undefined) {
    notes.push(`${what}: left out, it has no base_url that ends before /v1`);
    return undefined;
  }
  const name = `${slug(channel.name) || 'channel'}-${channel.id}`;
  if (isPrivate(baseUrl)) notes.push(`${what}: stands in a private network, which its upstream now allows`);
  if (!['', '{}', 'null'].includes(channel.status_code_mapping.trim()))
    notes.push(`${what}: its status_code_mapping is left out`);
  const upstream = fileUpstream.safeParse({
    name,
    base_url: baseUrl,
    ...(channel.status === 1 ? {} : { disabled: true }),
    protocols: type.protocols,
    allow_private_addresses: isPrivate(baseUrl),
    credentials: toCredentials(channel, name, secrets, notes),
    set_headers: {
      ...(channel.openai_organization === '' ? {} : { 'openai-organization': channel.openai_organization }),
      ...headerOverrides(channel, what, notes),
    },
    set_parameters: overrides(
      channel.param_override,
      `${what}: its param_override`,
      z.record(z.string(), z.json()).refine((fields) => !('operations' in fields)),
      notes,
    ),
  });
  if (!upstream.success) {
    notes.push(`${what}: left out: ${z.prettifyError(upstream.error).replaceAll('\n', ' ')}`);
    return undefined;
  }
  if (channel.status !== 1) notes.push(`${what}: is disabled, and so is its upstream`);
  return {
    channel,
    upstream: upstream.data,
    groups: parseList(channel.group),
    models: parseList(channel.models),
    modelMap: parseModelMap(channel, notes),
  };
}

/** Headers that hold keys would be shown in the catalogue. */
function headerOverrides({ header_override }: Channel, what: string, notes: string[]): object {
  const place = `${what}: its header_override`;
  const headers = overrides(header_override, place, z.record(z.string(), z.string()), notes);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => {
      if (!mayHoldSecret(name)) return true;
      notes.push(
        `${place} sets "${name}", which is left out: make its value a credential, and set auth to {"kind":"static","header":"${name.toLowerCase()}"}`,
      );
      return false;
    }),
  );
}

/** The parts of a list with commas. */
export const parseList = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

function findBaseUrl(channel: Channel, type: ChannelType): string | undefined {
  const stated = (channel.base_url.trim() || type.base_url)?.replace(/\/+$/, '');
  const base = stated?.replace(/\/chat\/completions$/, '');
  return base === undefined || base.includes('{') ? undefined : `${base}${type.path ?? ''}`;
}

const channelInfo = z.object({
  multi_key_status_list: z.record(z.string(), z.number()).nullish(),
});

/** One for each line of the channel's key, but for those that new-api has disabled. */
function toCredentials(
  channel: Channel,
  upstream: string,
  secrets: Map<string, string>,
  notes: string[],
): object[] {
  const states = channelInfo.safeParse(parseJson(channel.channel_info)).data?.multi_key_status_list ?? {};
  return channel.key
    .split('\n')
    .map((line) => line.trim())
    .flatMap((secret, index) => {
      if (secret === '') return [];
      const what = `channel ${channel.id} "${channel.name}": key ${index + 1}`;
      if ((states[String(index)] ?? 1) !== 1) {
        notes.push(`${what} is disabled and left out`);
        return [];
      }
      if (!secretSchema.safeParse(secret).success) {
        notes.push(`${what} is left out: it has characters that no header takes`);
        return [];
      }
      const reference = `MOVED_${upstream.replaceAll(/[^A-Za-z0-9]/g, '_')}_${index + 1}`;
      secrets.set(reference, secret);
      return [{ name: `key-${index + 1}`, secret_env: reference }];
    });
}

/** Our name to the upstream's; new-api follows a mapping of a mapping to its end. */
function parseModelMap({ id, name, model_mapping }: Channel, notes: string[]): ReadonlyMap<string, string> {
  if (model_mapping.trim() === '') return new Map();
  const parsed = z.record(z.string(), z.string()).safeParse(parseJson(model_mapping));
  if (!parsed.success) {
    notes.push(`channel ${id} "${name}": its model_mapping is no JSON of names and is left out`);
    return new Map();
  }
  const end = (from: string, seen: readonly string[] = []): string => {
    const to = parsed.data[from];
    return to === undefined || to === '' || seen.includes(to) ? from : end(to, [...seen, from]);
  };
  return new Map(Object.keys(parsed.data).map((from) => [from, end(from)]));
}

function overrides<T extends object>(
  text: string,
  what: string,
  schema: z.ZodType<T>,
  notes: string[],
): T | object {
  if (['', '{}', 'null'].includes(text.trim())) return {};
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success && !JSON.stringify(parsed.data).includes('{api_key}')) return parsed.data;
  notes.push(`${what} is left out: only plain names and values come over`);
  return {};
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

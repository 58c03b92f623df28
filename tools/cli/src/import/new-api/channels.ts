import { mayHoldSecret, secretSchema } from '@tollgate/catalogue';
import { guessTask } from '@tollgate/providers';
import { z } from 'zod';
import { findOwn } from '@tollgate/vocabulary';
import { fileUpstream } from '../../catalogue/file-schema.ts';
import { isPrivate, type Move, parseJson, slug } from '../move.ts';
import { takeTask } from '../take-task.ts';
import { CHANNEL_TYPES, type ChannelType, LEFT_OUT } from './channel-types.ts';
import { CLOUD_TYPES, type CloudAccess } from './clouds.ts';
import type { Channel } from './rows.ts';
import { noteChannelSettings } from './source-fields.ts';

export interface MovedChannel {
  readonly channel: Channel;
  readonly upstream: Move['catalogue']['upstreams'][0];
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly modelMap: ReadonlyMap<string, string>;
}

/** Where an upstream is, what proves who asks there, and which of the channel's models it serves. */
type Access = Omit<CloudAccess, 'names'> & Partial<Pick<CloudAccess, 'names'>>;

/** A channel as upstreams; none, and a note, where there is nothing like it here. */
export function movedChannels(
  channel: Channel,
  secrets: Map<string, string>,
  notes: string[],
): MovedChannel[] {
  const what = `channel ${channel.id} "${channel.name}"`;
  const found = findAccess(channel, (note) => notes.push(`${what}: ${note}`));
  if (typeof found === 'string') {
    notes.push(`${what}: left out, ${found}`);
    return [];
  }
  if (!['', '{}', 'null'].includes(channel.status_code_mapping.trim()))
    notes.push(`${what}: its status_code_mapping is left out`);
  for (const text of [channel.setting, channel.settings])
    noteChannelSettings(settingsSchema.safeParse(parseJson(text)).data ?? {}, (note) =>
      notes.push(`${what}: ${note}`),
    );
  if (channel.status !== 1) notes.push(`${what}: is disabled, and so is its upstream`);
  const models = parseList(channel.models);
  const modelMap = parseModelMap(channel, notes);
  return found.flatMap((access) => {
    const expected = models.filter((model) => access.serves(modelMap.get(model) ?? model));
    const tasks = takeTasks(access.access, expected, channel.type, (note) => notes.push(`${what}: ${note}`));
    const served = expected.filter((model) => !tasks.refused.has(model));
    if (served.length === 0) return [];
    const upstream = movedUpstream(channel, { ...access, access: tasks.access }, what, { secrets, notes });
    const unnamed = served
      .map((model) => modelMap.get(model) ?? model)
      .filter((theirs) => !access.names?.has(theirs) && access.isName?.(theirs) === false);
    for (const model of unnamed)
      notes.push(`${what}: the name of ${model} there is not known; write it into model_map`);
    for (const model of served
      .map((each) => modelMap.get(each) ?? each)
      .filter((each) => OWN_ENDS.test(each)))
      notes.push(
        `${what}: ${model} is asked for by that very name; new-api takes its end for how much is to be thought. Name the vendor's model in model_mapping`,
      );
    const named = served.map((model): [string, string] => {
      const theirs = modelMap.get(model) ?? model;
      return [model, access.names?.get(theirs) ?? theirs];
    });
    return upstream === undefined
      ? []
      : [
          {
            channel,
            upstream,
            groups: parseList(channel.group),
            models: served,
            modelMap: new Map([...modelMap, ...named.filter(([model, theirs]) => model !== theirs)]),
          },
        ];
  });
}

/** Names whose ends new-api cuts off and says to the vendor in other words. */
const OWN_ENDS =
  /^(?:claude-.*-(?:thinking|max|x?high|medium|low)|gemini-.*-(?:nothinking|thinking(?:-\d+)?)|(?:o\d|gpt-5).*-(?:x?high|medium|low|minimal|none))$/;

const settingsSchema = z.record(z.string(), z.unknown());

/** The upstream with the paths of the tasks that its models are for, and the models whose task it does not take. */
function takeTasks(
  access: Access['access'],
  models: readonly string[],
  type: Channel['type'],
  tell: (note: string) => void,
): { readonly access: Access['access']; readonly refused: ReadonlySet<string> } {
  const refused = new Set<string>();
  let taking = access;
  for (const model of models) {
    const task = guessTask(model);
    if (!task) continue;
    const taken = type === COHERE && task === 'rerank' ? COHERE_RANKS : takeTask(taking, task);
    if (typeof taken !== 'string') taking = taken;
    else {
      refused.add(model);
      tell(`${model} is left out of it, ${taken}`);
    }
  }
  return { access: taking, refused };
}

const COHERE = 34;
const COHERE_RANKS =
  'Cohere ranks elsewhere: make an upstream of https://api.cohere.com whose task_formats say {"rerank":"cohere"}';

function findAccess(channel: Channel, tell: (note: string) => void): readonly Access[] | string {
  const cloud = CLOUD_TYPES[channel.type];
  if (cloud) return cloud.move(channel, tell);
  const type = CHANNEL_TYPES[channel.type];
  if (!type) {
    const [name, why] = LEFT_OUT[channel.type] ?? [];
    return name === undefined ? `its type ${channel.type} is not known here` : `its type is ${name}: ${why}`;
  }
  const base_url = findBaseUrl(channel, type);
  if (base_url === undefined) return 'it has no base_url that ends before /v1';
  if (isPrivate(base_url)) tell('stands in a private network, which its upstream now allows');
  const keys = channel.key.split('\n').map((line) => line.trim());
  return [
    {
      access: { base_url, protocols: [...type.protocols], ...type.access },
      secrets: keys,
      suffix: '',
      serves: () => true,
    },
  ];
}

function movedUpstream(
  channel: Channel,
  { access, secrets: keys, suffix }: Access,
  what: string,
  { secrets, notes }: { readonly secrets: Map<string, string>; readonly notes: string[] },
): MovedChannel['upstream'] | undefined {
  const name = `${slug(channel.name) || 'channel'}-${channel.id}${suffix}`;
  const organization = channel.open_ai_organization || channel.openai_organization;
  const upstream = fileUpstream.safeParse({
    ...access,
    name,
    ...(channel.status === 1 ? {} : { disabled: true }),
    allow_private_addresses: isPrivate(access.base_url),
    credentials: toCredentials(channel, keys, name, secrets, notes),
    set_headers: {
      ...(organization === '' ? {} : { 'openai-organization': organization }),
      ...headerOverrides(channel, what, notes),
    },
    set_parameters: overrides(
      channel.param_override,
      `${what}: its param_override`,
      z.record(z.string(), z.json()).refine((fields) => !('operations' in fields)),
      notes,
    ),
  });
  if (!upstream.success)
    notes.push(`${what}: left out: ${z.prettifyError(upstream.error).replaceAll('\n', ' ')}`);
  return upstream.data;
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
  keys: readonly string[],
  upstream: string,
  secrets: Map<string, string>,
  notes: string[],
): object[] {
  const states = channelInfo.safeParse(parseJson(channel.channel_info)).data?.multi_key_status_list ?? {};
  return keys.flatMap((secret, index) => {
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
    const to = findOwn(parsed.data, from);
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

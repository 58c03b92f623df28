import type { ModelDialect, upstreamInputSchema } from '@tollgate/catalogue';
import { findOwn, type Protocol, type RefusalCode } from '@tollgate/vocabulary';
import type { z } from 'zod';
import type { CredentialWay, Provider, ProviderField, Quirk } from './provider.ts';

/** What an operator says of their own part of a provider. */
export interface ProviderSettings {
  /** Of the upstream and its pool; the provider's own where it is left out. */
  readonly name?: string | undefined;
  /** Of a way to prove who asks; the first where it is left out. */
  readonly way?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** In place of the provider's address, such as that of a proxy. */
  readonly base_url?: string | undefined;
  readonly secret?: string | undefined;
  /** Whether its address may be one of a private network. */
  readonly allow_private_addresses?: boolean | undefined;
}

/** Settings that make no upstream; `field` is what is wrong with them, and `code` how. */
export class ProviderSettingsError extends Error {
  readonly field: string;
  readonly code: RefusalCode;
  /** What the words of the code put in. */
  readonly values: Readonly<Record<string, string | number>>;

  constructor(
    field: string,
    message: string,
    code: RefusalCode,
    values: Readonly<Record<string, string | number>> = {},
  ) {
    super(message);
    this.field = field;
    this.code = code;
    this.values = values;
  }
}

/** @throws ProviderSettingsError */
function findWay(provider: Provider, name: string | undefined): CredentialWay {
  const way = name === undefined ? provider.ways[0] : provider.ways.find((each) => each.name === name);
  if (way) return way;
  const names = provider.ways.map((each) => each.name).join(', ');
  throw new ProviderSettingsError(
    'way',
    `way: ${provider.title} knows ${names}, not "${name}".`,
    'field_not_offered',
    { offered: names },
  );
}

export const listFields = (provider: Provider, way: CredentialWay): readonly ProviderField[] => [
  ...(provider.fields ?? []),
  ...(way.fields ?? []),
];

/** The upstream that a provider is with somebody's settings. @throws ProviderSettingsError */
export function toUpstream(
  provider: Provider,
  settings: ProviderSettings,
): z.input<typeof upstreamInputSchema> {
  const way = findWay(provider, settings.way);
  const values = readFields(provider, way, settings);
  const fill = (template: string) => fillTemplate(template, values);
  const name = settings.name ?? provider.name;
  const secret = way.secret === 'ambient' ? 'ambient' : settings.secret;
  if (way.secret !== 'none' && !secret) {
    throw new ProviderSettingsError(
      'secret',
      `secret: ${provider.title} needs one (${way.title}).`,
      'field_missing',
    );
  }
  return {
    name,
    base_url: settings.base_url ?? fill(provider.base_url),
    protocols: provider.protocols,
    ...(way.auth && { auth: fillAll(way.auth, fill) }),
    ...(provider.paths && { paths: provider.paths }),
    ...(provider.task_formats && { task_formats: provider.task_formats }),
    ...(provider.max_inputs && { max_inputs: provider.max_inputs }),
    // Behind an address of one's own, who knows where they are: no credential goes past it.
    ...(provider.model_lists &&
      settings.base_url === undefined && { model_lists: provider.model_lists.map(fill) }),
    ...(provider.wrapping && { wrapping: provider.wrapping }),
    ...(provider.quirks && { dialects: toDialects(provider.quirks) }),
    credentials: way.secret === 'none' ? [] : [{ name: 'default', secret: secret ?? '' }],
    set_headers: fillAll(provider.set_headers ?? {}, fill),
    set_parameters: provider.set_parameters ?? {},
    allow_private_addresses: settings.allow_private_addresses ?? provider.own_machine === true,
  };
}

/** By format; fields that are refused for several reasons are refused all. */
function toDialects(quirks: readonly Quirk[]): Partial<Record<Protocol, ModelDialect>> {
  const dialects: Partial<Record<Protocol, ModelDialect>> = {};
  for (const { format, takes } of quirks) {
    const { refused_fields: before = [], ...known } = dialects[format] ?? {};
    const { refused_fields: more = [], ...rest } = takes;
    const refused = [...before, ...more];
    dialects[format] = { ...known, ...rest, ...(refused.length > 0 && { refused_fields: refused }) };
  }
  return dialects;
}

/** Fields with what follows from them. */
function readFields(
  provider: Provider,
  way: CredentialWay,
  { fields = {}, base_url }: ProviderSettings,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, title, pattern, example } of listFields(provider, way)) {
    const value = findOwn(fields, name)?.trim() ?? '';
    // An address of one's own has no place for them.
    if (value === '' && base_url !== undefined && !way.fields?.some((each) => each.name === name)) continue;
    if (!new RegExp(pattern).test(value)) {
      throw new ProviderSettingsError(
        `fields.${name}`,
        `${title}: must be like "${example}".`,
        'field_unlike_example',
        { example },
      );
    }
    values[name] = value;
  }
  const unknown = Object.keys(fields).find((name) =>
    listFields(provider, way).every((each) => each.name !== name),
  );
  if (unknown !== undefined) {
    throw new ProviderSettingsError(
      `fields.${unknown}`,
      `${provider.title} asks for no "${unknown}".`,
      'field_unknown',
      { names: unknown },
    );
  }
  for (const [name, { field, values: known, otherwise }] of Object.entries(provider.variables ?? {})) {
    const value = values[field];
    if (value !== undefined) values[name] = findOwn(known, value) ?? fillTemplate(otherwise, values);
  }
  return values;
}

/** `{model}` and whatever else is nobody's field stays. */
const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{([a-z_]+)\}/g, (place, name: string) => findOwn(values, name) ?? place);

const fillAll = <T extends object>(templates: T, fill: (template: string) => string): T =>
  Object.fromEntries(
    Object.entries(templates).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? fill(value) : value,
    ]),
  ) as T;

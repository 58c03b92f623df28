import { findOwn } from '@tollgate/vocabulary';
import type { Provider, ProviderRequest, ProviderSettings } from '../../api/providers.ts';
import { parseMicro } from '../catalogue/prices.ts';

/** What somebody says of a provider of theirs. */
export interface ProviderForm {
  readonly provider: string;
  readonly name: string;
  readonly way: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly secret: string;
  /** In place of the provider's address; empty is none. */
  readonly baseUrl: string;
  readonly allowPrivate: boolean;
}

/** USD per million tokens, as people type it. */
export interface PriceForm {
  readonly input: string;
  readonly output: string;
}

export const toProviderForm = (provider: Provider, taken: ReadonlySet<string>): ProviderForm => ({
  provider: provider.name,
  name: findFreeName(provider.name, taken),
  way: provider.ways[0]?.name ?? '',
  fields: {},
  secret: '',
  baseUrl: '',
  allowPrivate: false,
});

/** The name, or the first numbered one that nobody has. */
function findFreeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

export const toSettings = (form: ProviderForm): ProviderSettings => ({
  provider: form.provider,
  name: form.name.trim(),
  way: form.way,
  fields: Object.fromEntries(
    Object.entries(form.fields).flatMap(([name, value]) =>
      value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  ),
  ...(form.secret.trim() !== '' && { secret: form.secret.trim() }),
  ...(form.baseUrl.trim() !== '' && {
    base_url: form.baseUrl.trim(),
    allow_private_addresses: form.allowPrivate,
  }),
});

/** Whether there is enough to ask the provider anything. */
export function isComplete(provider: Provider, form: ProviderForm): boolean {
  const way = provider.ways.find(({ name }) => name === form.way);
  const asked = [...(form.baseUrl.trim() === '' ? provider.fields : []), ...(way?.fields ?? [])];
  return (
    form.name.trim() !== '' &&
    (way?.needs_secret === false || form.secret.trim() !== '') &&
    asked.every(({ name, pattern }) => new RegExp(pattern).test(form.fields[name]?.trim() ?? ''))
  );
}

/** A model that can be picked: of the provider's list prices, of what it says it has, or of both. */
export interface OfferedModel {
  readonly name: string;
  readonly listed: Provider['models'][number] | undefined;
}

/** Those with a list price first. What a provider does not have is not offered where it says what it has. */
export function listOffered(provider: Provider, own: readonly string[]): OfferedModel[] {
  const has = new Set(own);
  const listed = provider.models.filter(
    ({ name, upstream_name }) => own.length === 0 || has.has(upstream_name ?? name),
  );
  const known = new Set(listed.map(({ name, upstream_name }) => upstream_name ?? name));
  return [
    ...listed.map((model) => ({ name: model.name, listed: model })),
    ...own.filter((name) => !known.has(name)).map((name) => ({ name, listed: undefined })),
  ];
}

/** What is published; a model without a list price is left out until it has one. */
export const toProviderRequest = (
  form: ProviderForm,
  offered: readonly OfferedModel[],
  prices: Readonly<Record<string, PriceForm>>,
  groups: readonly string[],
): ProviderRequest => ({
  ...toSettings(form),
  groups: [...groups],
  models: offered.flatMap(({ name, listed }): ProviderRequest['models'] => {
    if (listed) return [{ name }];
    const [input, output] = [
      parseMicro(findOwn(prices, name)?.input ?? ''),
      parseMicro(findOwn(prices, name)?.output ?? ''),
    ];
    return input === undefined || output === undefined ? [] : [{ name, prices: { input, output } }];
  }),
});

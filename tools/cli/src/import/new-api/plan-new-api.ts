import { AUTO_GROUP, groupSchema, modelInputSchema, vendorSchema } from '@tollgate/catalogue';
import { decimal, ratioText } from '@tollgate/money';
import { guessOperations, guessTask, isForNothingServed, type ModelPrices } from '@tollgate/providers';
import { OPERATION_NAMES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { findVendor, type Move, parseJson, slug } from '../move.ts';
import { parseList, movedChannels, type MovedChannel } from './channels.ts';
import { movedAccounts } from './customers.ts';
import { movedPools } from './pools.ts';
import { findExpressions, readExpression } from './expression-prices.ts';
import { numbersIn, priceLookup } from './prices.ts';
import type { NewApi } from './rows.ts';
import { noteLeftOptions } from './source-fields.ts';

/** What a new-api or one-api becomes here. Nothing is sent anywhere. */
export function planNewApi(source: NewApi): Move {
  const notes: string[] = [];
  const secrets = new Map<string, string>();
  const channels = source.channels.flatMap((channel) => movedChannels(channel, secrets, notes));
  const models = movedModels(channels, source, notes);
  const known = new Set(models.map(({ name }) => name));
  const groupNames = groupNamesOf(source, channels, notes);
  notes.push(...noteLeftOptions(source), ...(source.unread ?? []));
  const accounts = movedAccounts(source, { groupNames, known, notes });
  const autoGroups =
    z.array(z.string()).safeParse(parseJson(source.options.get('AutoGroups') ?? '[]')).data ?? [];
  return {
    catalogue: {
      vendors: [...new Set(models.map(({ vendor }) => vendor))].map((name) => vendorSchema.parse({ name })),
      models,
      groups: movedGroups(groupNames, channels, source, known, notes),
      upstreams: channels.map(({ upstream }) => upstream),
      pools: movedPools(channels, groupNames, known),
      auto_groups: autoGroups.flatMap((group) => groupNames.get(group) ?? []),
    },
    secrets,
    accounts,
    notes,
    never: 'People do not come over, only what they have: invite those who are to sign in here.',
  };
}

function movedModels(
  channels: readonly MovedChannel[],
  source: NewApi,
  notes: string[],
): Move['catalogue']['models'] {
  const priceOf = priceLookup(source);
  const expressions = findExpressions(source);
  const offered = new Set(channels.flatMap(({ models }) => models));
  for (const name of new Set(source.channels.flatMap(({ models }) => parseList(models))))
    if (!offered.has(name)) notes.push(`model ${name}: left out, none of its channels came over`);
  return [...offered].flatMap((name) => {
    if (isForNothingServed(name)) {
      notes.push(`model ${name}: left out, by its name it is for what is not served yet`);
      return [];
    }
    const task = guessTask(name);
    if (task) notes.push(`model ${name}: is for ${OPERATION_NAMES[task].toLowerCase()}, by its name`);
    const expression = expressions.get(name);
    const rated =
      expression === undefined ? priceOf(name, notes, task) : priceOfExpression(name, expression, notes);
    if (!rated) {
      if (expression === undefined)
        notes.push(
          `model ${name}: left out, it has neither ModelRatio nor ModelPrice in the options; save its price in new-api`,
        );
      return [];
    }
    const model = modelInputSchema.safeParse({
      name,
      vendor: findVendor(name),
      ...(task === undefined ? {} : { operations: guessOperations(name) }),
      ...rated,
    });
    if (!model.success)
      notes.push(`model ${name}: left out: ${z.prettifyError(model.error).replaceAll('\n', ' ')}`);
    return model.data ?? [];
  });
}

function priceOfExpression(model: string, expression: string, notes: string[]): ModelPrices | undefined {
  const read = readExpression(expression);
  if (!read.ok) {
    notes.push(
      `model ${model}: left out, its price is an expression that no price list says (${read.why}); write its prices into the catalogue`,
    );
    return undefined;
  }
  if (!read.isExact) notes.push(`model ${model}: prices are rounded to a micro-USD for a million tokens`);
  return read.prices;
}

/** Every group that somebody or something is in, by what it is called there. */
function groupNamesOf(
  source: NewApi,
  channels: readonly MovedChannel[],
  notes: string[],
): Map<string, string> {
  const serving = new Set(channels.flatMap(({ groups }) => groups));
  const names = new Map<string, string>();
  for (const group of serving) {
    if (group === AUTO_GROUP) continue;
    const name = slug(group) || `group-${names.size + 1}`;
    const taken = [...names.values()].includes(name);
    names.set(group, taken ? `${name}-${names.size + 1}` : name);
    if (names.get(group) !== group) notes.push(`group ${group}: is called ${names.get(group)} here`);
  }
  for (const group of numbersIn(source, 'GroupRatio').keys())
    if (!serving.has(group)) notes.push(`group ${group}: left out, no channel serves it`);
  return names;
}

function movedGroups(
  groupNames: ReadonlyMap<string, string>,
  channels: readonly MovedChannel[],
  source: NewApi,
  known: ReadonlySet<string>,
  notes: string[],
): Move['catalogue']['groups'] {
  const ratios = numbersIn(source, 'GroupRatio');
  return [...groupNames].map(([group, name]) => {
    const ratio = ratios.get(group);
    if (ratio === undefined) notes.push(`group ${group}: has no GroupRatio, so its ratio is 1`);
    const { digits, places } = decimal(ratio ?? 1);
    const served = channels.filter(({ groups }) => groups.includes(group)).flatMap(({ models }) => models);
    return groupSchema.parse({
      name,
      description: 'Moved from new-api',
      ratio: ratioText(digits, 10n ** BigInt(places)),
      models: [...new Set(served)].filter((model) => known.has(model)),
    });
  });
}

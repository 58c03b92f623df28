import type { ModelOperation } from '@tollgate/vocabulary';
import type { PriceBook, PricedModel } from '../../api/pricing.ts';
import type { Tool } from './formats/format.ts';
import { type FormatId, isFormatId } from './formats/format-id.ts';
import type { PlaygroundSearch } from './search.ts';
import { toolsIn } from './tools.ts';

/** What a person sets for every request, as they type it. */
export interface Settings {
  readonly system: string;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly tools: string;
}

export const NO_SETTINGS: Settings = { system: '', temperature: '', maxTokens: '', tools: '' };

/** The settings as numbers and tools; what is no such thing is named and stands in the way of sending. */
export interface ReadSettings {
  readonly system: string;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly tools: readonly Tool[];
  readonly faults: { readonly temperature: boolean; readonly maxTokens: boolean; readonly tools: boolean };
}

const MAX_TOKENS = 10_000_000;

export function readSettings(settings: Settings): ReadSettings {
  const temperature = numberIn(settings.temperature);
  const maxTokens = numberIn(settings.maxTokens);
  const { tools } = toolsIn(settings.tools);
  return {
    system: settings.system.trim(),
    temperature,
    maxTokens,
    tools: tools ?? [],
    faults: {
      temperature: temperature !== null && !(temperature >= 0 && temperature <= 2),
      maxTokens:
        maxTokens !== null && !(Number.isInteger(maxTokens) && maxTokens >= 1 && maxTokens <= MAX_TOKENS),
      tools: tools === null,
    },
  };
}

/** Null where nothing is typed, NaN where it is no number. */
const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text.trim()));

export interface LaneSetup {
  readonly model: string;
  readonly format: FormatId;
}

/** The models of a group that converse, or do something else, and that something serves. */
export const offeredModels = (
  book: Pick<PriceBook, 'data'>,
  group: string,
  operation: ModelOperation = 'generate',
): readonly PricedModel[] =>
  book.data.filter(
    ({ enable_groups, operations, supported_endpoint_types }) =>
      enable_groups.includes(group) && operations.includes(operation) && supported_endpoint_types.length > 0,
  );

const MAKERS: readonly (readonly [RegExp, FormatId])[] = [
  [/anthropic|claude/i, 'anthropic'],
  [/google|gemini/i, 'gemini'],
  [/responses/i, 'openai-response'],
];

/** The format in which a model's own maker would be asked. */
export function ownFormat({ model_name, owner_by }: PricedModel): FormatId {
  const own = MAKERS.find(([maker]) => maker.test(owner_by) || maker.test(model_name));
  return own?.[1] ?? 'openai';
}

/** What stands in the address, filled up: one lane, or two of them; none while there is no model to ask. */
export function toLanes(search: PlaygroundSearch, models: readonly PricedModel[]): readonly LaneSetup[] {
  const find = (name: string | undefined) => models.find(({ model_name }) => model_name === name);
  const lane = (model: PricedModel | undefined, format: string | undefined): readonly LaneSetup[] =>
    model ? [{ model: model.model_name, format: isFormatId(format) ? format : ownFormat(model) }] : [];
  const first = find(search.model) ?? models[0];
  return [
    ...lane(first, search.format),
    ...(search.beside === undefined ? [] : lane(find(search.beside) ?? models[0], search.besideFormat)),
  ];
}

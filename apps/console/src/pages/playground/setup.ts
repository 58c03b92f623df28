import type { ModelOperation } from '@tollgate/vocabulary';
import type { PriceBook, PricedModel } from '../../api/pricing.ts';
import { type FormatId, isFormatId } from './formats/format-id.ts';
import type { PlaygroundSearch } from './search.ts';

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

/** So many models are asked side by side at most. */
export const MAX_LANES = 4;

/** What stands in the address, filled up: a lane for each model; none while there is no model to ask. */
export function toLanes(search: PlaygroundSearch, models: readonly PricedModel[]): readonly LaneSetup[] {
  const find = (name: string | undefined) => models.find(({ model_name }) => model_name === name);
  const lane = (model: PricedModel | undefined, format: string | undefined): readonly LaneSetup[] =>
    model ? [{ model: model.model_name, format: isFormatId(format) ? format : ownFormat(model) }] : [];
  return [
    ...lane(find(search.model) ?? models[0], search.format),
    ...(search.beside ?? []).flatMap((text) => {
      const { model, format } = parseLane(text);
      return lane(find(model) ?? models[0], format);
    }),
  ].slice(0, MAX_LANES);
}

/** "sim-claude@anthropic", or a model alone, which is asked in the format of its maker. */
function parseLane(text: string): { readonly model: string; readonly format: string | undefined } {
  const at = text.lastIndexOf('@');
  const format = text.slice(at + 1);
  return at > 0 && isFormatId(format)
    ? { model: text.slice(0, at), format }
    : { model: text, format: undefined };
}

/** Lanes as the address says them. */
export const toSearch = (
  lanes: readonly LaneSetup[],
): Pick<PlaygroundSearch, 'model' | 'format' | 'beside'> => {
  const [first, ...others] = lanes;
  return {
    ...first,
    ...(others.length === 0 ? {} : { beside: others.map(({ model, format }) => `${model}@${format}`) }),
  };
};

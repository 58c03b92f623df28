import type { PricesInput } from '@tollgate/catalogue';
import type { ProviderModel, Source } from './provider.ts';

type SourcedModel = Omit<ProviderModel, 'source'>;

/** One row of a table of models. */
export const toModel = (
  name: string,
  context_window: number | null,
  max_output_tokens: number | null,
  prices: PricesInput,
  more: Partial<SourcedModel> = {},
): SourcedModel => ({ name, context_window, max_output_tokens, prices, ...more });

/** Models whose figures were all read at one place on one day. */
export const listModels = (source: Source, models: readonly SourcedModel[]): ProviderModel[] =>
  models.map((each) => ({ ...each, source }));

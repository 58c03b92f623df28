import { MODEL_OPERATIONS, type ModelOperation } from '@tollgate/vocabulary';
import type { PriceBook, PricedModel } from '../../api/pricing.ts';
import type { ModelsSearch } from './search.ts';

/** The models of a book that a person looks for; every word must occur somewhere in an entry. */
export function findModels(
  book: PriceBook,
  { find = '', vendor, operation, group }: ModelsSearch,
): readonly PricedModel[] {
  const words = find.toLowerCase().split(/\s+/);
  return book.data.filter((model) => {
    const text = `${model.model_name} ${model.owner_by} ${model.description} ${model.tags}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (vendor === undefined || model.owner_by === vendor) &&
      (operation === undefined || model.operations.some((each) => each === operation)) &&
      (group === undefined || model.enable_groups.includes(group))
    );
  });
}

/** What the models of a book are for, in the order in which operations are always told. */
export const listPurposes = ({ data }: Pick<PriceBook, 'data'>): readonly ModelOperation[] =>
  MODEL_OPERATIONS.filter((operation) => data.some(({ operations }) => operations.includes(operation)));

import type { PriceBook, PricedModel } from '../../api/pricing.ts';
import type { ModelsSearch } from './search.ts';

/** The models of a book that a person looks for; every word must occur somewhere in an entry. */
export function findModels(
  book: PriceBook,
  { find = '', vendor, group }: ModelsSearch,
): readonly PricedModel[] {
  const words = find.toLowerCase().split(/\s+/);
  return book.data.filter((model) => {
    const text = `${model.model_name} ${model.owner_by} ${model.description} ${model.tags}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (vendor === undefined || model.owner_by === vendor) &&
      (group === undefined || model.enable_groups.includes(group))
    );
  });
}

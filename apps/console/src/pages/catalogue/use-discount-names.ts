import { accountNamesQuery } from '../../api/account-names.ts';
import { useLookup } from '../../shared/use-lookup.ts';

/** The names of the accounts whose discounts are among differences, by their ids. */
export function useDiscountNames(
  differences: readonly { readonly section: string; readonly name: string }[] = [],
): ReadonlyMap<string, string> | undefined {
  const ids = differences.flatMap(({ section, name }) =>
    section === 'discounts' && name !== '*' ? [name] : [],
  );
  return useLookup(accountNamesQuery(ids)).data;
}

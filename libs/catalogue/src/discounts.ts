import { parseRatio, type Ratio } from '@tollgate/money';
import type { Discount } from './schema.ts';

/** What the customer pays as a share of the group's price: the first discount that names the model holds. */
export const findDiscount = <T extends { readonly models: readonly string[] }>(
  ofAccount: readonly T[],
  model: string,
): T | undefined => ofAccount.find(({ models }) => models.includes('*') || models.includes(model));

/** Discounts by account, read once for many requests. */
export type DiscountIndex = ReadonlyMap<
  string,
  readonly { readonly models: readonly string[]; readonly ratio: Ratio }[]
>;

export const indexDiscounts = (discounts: readonly Discount[]): DiscountIndex =>
  new Map(
    [...Map.groupBy(discounts, ({ account_id }) => account_id)].map(([accountId, ofAccount]) => [
      accountId,
      ofAccount.map(({ models, ratio }) => ({ models, ratio: parseRatio(ratio) })),
    ]),
  );

/** What an account pays of a model's list price: the group's ratio, and the account's discount where it has one. */
export function findRatios(
  group: Ratio,
  discounts: DiscountIndex,
  accountId: string,
  model: string,
): Ratio[] {
  const ofAccount = discounts.get(accountId);
  const discount = ofAccount && findDiscount(ofAccount, model);
  return discount ? [group, discount.ratio] : [group];
}

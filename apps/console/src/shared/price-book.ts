import type { PriceBook } from '../api/pricing.ts';

/** The group whose prices a visitor sees first: the one that every key has unless another is chosen. */
export const firstGroup = ({ group_ratio }: Pick<PriceBook, 'group_ratio'>): string | undefined =>
  Object.hasOwn(group_ratio, 'default') ? 'default' : Object.keys(group_ratio)[0];

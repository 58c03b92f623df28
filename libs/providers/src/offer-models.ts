import type { ProviderModel, Source } from './provider.ts';

type Difference = Partial<Omit<ProviderModel, 'name' | 'source'>>;

/**
 * Models of a vendor as another provider offers them, whose prices were read at one place on one day. What is not said to
 * differ is as the vendor has it; prices that differ are the provider's whole list.
 */
export const offerModels = (
  models: readonly ProviderModel[],
  source: Source,
  offered: Readonly<Record<string, Difference>>,
): ProviderModel[] =>
  Object.entries(offered).map(([name, difference]) => {
    const own = models.find((each) => each.name === name);
    if (!own) throw new Error(`${name} is on no list of its vendor.`);
    return { ...own, ...difference, source };
  });

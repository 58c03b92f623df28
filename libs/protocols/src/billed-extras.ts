import { type Counts, findOwn, type ServiceTier, type UnitKind } from '@tollgate/vocabulary';
import { isObject, textAt } from './json.ts';

/** What the vendor bills of an answer beside the tokens of its model, as the answer itself says. */
export interface BilledExtras {
  /** In which tier it was served; absent where that is the standard one, or not said. */
  readonly serviceTier?: ServiceTier | undefined;
  /** Where it was served, where that has prices of its own. */
  readonly region?: string | undefined;
  /** A word for a tier that we do not know: nobody can say what that costs. */
  readonly unknownTier?: string | undefined;
  readonly units?: Readonly<Partial<Record<UnitKind, number>>> | undefined;
  /** Which of the units we counted by what the answer holds, as it reports no number of them. */
  readonly counted?: readonly UnitKind[] | undefined;
  /** Containers that are among the units, so that each is counted once. */
  readonly containers?: readonly string[] | undefined;
  /** Pictures that it holds: what drew them is counted by them where it is not reported. */
  readonly pictures?: number | undefined;
  /** Models beside its own that worked for it, with what they did; no name where the answer does not give it. */
  readonly others?: readonly { readonly model: string | undefined; readonly counts: Counts }[] | undefined;
}

/** Where answers say what is billed beside tokens. */
export interface ExtrasRules {
  readonly findInBody: (body: unknown) => BilledExtras | undefined;
  /** What is known after this event, given what was known before it; undefined as long as nothing is. */
  readonly findInEvent: (event: unknown, before: BilledExtras | undefined) => BilledExtras | undefined;
}

/** A tier by the words of a vendor, in small letters. */
export function readTier(
  word: string,
  words: Readonly<Record<string, ServiceTier>>,
): Pick<BilledExtras, 'serviceTier' | 'unknownTier'> {
  const small = word.toLowerCase();
  if (small === '') return {};
  const tier = findOwn(words, small);
  if (tier === undefined) return { unknownTier: word.slice(0, 64) };
  return tier === 'standard' ? {} : { serviceTier: tier };
}

/** Undefined where an answer says nothing that is billed apart. */
export function orNothing(extras: BilledExtras): BilledExtras | undefined {
  const { serviceTier, region, unknownTier, units, pictures, others } = extras;
  const says = [serviceTier, region, unknownTier, pictures, others?.[0]].some((each) => each !== undefined);
  return says || (units && Object.keys(units).length > 0) ? extras : undefined;
}

/** Whether an item of a list is an object of this type. */
export const isOfType = (item: unknown, type: string): boolean =>
  isObject(item) && textAt(item, 'type') === type;

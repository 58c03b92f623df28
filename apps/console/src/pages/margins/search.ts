import { MARGIN_GROUPS, type MarginGroup } from '@tollgate/vocabulary';
import { readDays } from '../../shared/days.ts';
import { readTexts } from '../../shared/search-params.ts';

/** What the address of the margins says; without `by` they are shown by model. */
interface MarginsSearch {
  readonly by?: MarginGroup;
  /** The first and the last day on which it is booked, in the time zone of the account. */
  readonly from?: string;
  readonly to?: string;
}

export function readMarginsSearch(search: Readonly<Record<string, unknown>>): MarginsSearch {
  const { by, from, to } = readTexts(search, ['by', 'from', 'to']);
  const group = MARGIN_GROUPS.find((each) => each === by);
  return { ...(group === undefined ? {} : { by: group }), ...readDays(from, to) };
}

import type { ServiceTier } from '@tollgate/vocabulary';
import { type BilledExtras, type ExtrasRules, orNothing, readTier } from '../billed-extras.ts';
import { listAt, objectAt, textAt } from '../json.ts';

/** Words of the Gemini API (`serviceTier`) and of Vertex (`trafficType`). */
export const GEMINI_TIERS: Readonly<Record<string, ServiceTier>> = {
  standard: 'standard',
  service_tier_unspecified: 'standard',
  unspecified: 'standard',
  traffic_type_unspecified: 'standard',
  on_demand: 'standard',
  priority: 'priority',
  on_demand_priority: 'priority',
  flex: 'flex',
  on_demand_flex: 'flex',
  batch: 'batch',
  provisioned_throughput: 'reserved',
};

export const geminiExtras: ExtrasRules = {
  findInBody: (body) => extrasOf(body, undefined),
  findInEvent: extrasOf,
};

/** What an answer is grounded on stands in its last part, and is all of it: of several reports the largest counts. */
function extrasOf(answer: unknown, before: BilledExtras | undefined): BilledExtras | undefined {
  const usage = objectAt(answer, 'usageMetadata');
  const word = textAt(usage, 'serviceTier') || textAt(usage, 'trafficType');
  const searches = countSearches(answer);
  if (word === '' && searches === 0) return before;
  const max = Math.max(searches, before?.units?.searches ?? 0);
  return orNothing({
    ...before,
    ...(word === '' ? {} : { serviceTier: undefined, ...readTier(word, GEMINI_TIERS) }),
    ...(max > 0 ? { units: { searches: max }, counted: ['searches'] } : {}),
  });
}

/** Before Gemini 3 a prompt that was grounded is charged, and since then every query of it. */
function countSearches(answer: unknown): number {
  const queries = listAt(answer, 'candidates').reduce<number>(
    (sum, candidate) => sum + queriesOf(objectAt(candidate, 'groundingMetadata')),
    0,
  );
  return /^gemini-[12](?:[.-]|$)/.test(textAt(answer, 'modelVersion')) ? Math.min(1, queries) : queries;
}

/** What is found on maps has no queries: an answer that names places is one search. */
const queriesOf = (grounding: unknown): number =>
  listAt(grounding, 'webSearchQueries').length + listAt(grounding, 'imageSearchQueries').length ||
  (listAt(grounding, 'groundingChunks').some((chunk) => objectAt(chunk, 'maps')) ? 1 : 0);

import type { ServiceTier } from '@tollgate/vocabulary';
import { type BilledExtras, type ExtrasRules, isOfType, orNothing, readTier } from '../billed-extras.ts';
import { countAt, listAt, nonZero, objectAt, textAt } from '../json.ts';

/** OpenAI answers `priority` to requests that ask for `fast`. */
export const OPENAI_TIERS: Readonly<Record<string, ServiceTier>> = {
  default: 'standard',
  standard: 'standard',
  auto: 'standard',
  on_demand: 'standard',
  priority: 'priority',
  fast: 'priority',
  performance: 'priority',
  flex: 'flex',
  ultrafast: 'ultrafast',
  scale: 'scale',
  batch: 'batch',
};

export const chatExtras: ExtrasRules = {
  findInBody: (body) => extrasOf(body, undefined),
  findInEvent: extrasOf,
};

/**
 * Chunks of a stream say the tier again and again, the last one the usage. A model that always searches reports no number: of
 * its answers that cite pages each is one search.
 */
function extrasOf(bodyOrChunk: unknown, before: BilledExtras | undefined): BilledExtras | undefined {
  const word = textAt(bodyOrChunk, 'service_tier');
  const reported = searchesIn(objectAt(bodyOrChunk, 'usage'));
  const cites = reported === 0 && listAt(bodyOrChunk, 'choices').some(citesPages);
  if (word === '' && reported === 0 && !cites) return before;
  const tier =
    word === ''
      ? { serviceTier: before?.serviceTier, unknownTier: before?.unknownTier }
      : readTier(word, OPENAI_TIERS);
  if (reported > 0) return orNothing({ ...tier, units: { searches: reported } });
  if (cites && before?.units === undefined) return { ...tier, units: { searches: 1 }, counted: ['searches'] };
  return orNothing({ ...before, ...tier });
}

/** In the words of xAI, of OpenRouter and of Perplexity. */
const searchesIn = (usage: unknown): number =>
  countAt(objectAt(usage, 'server_side_tool_usage_details'), 'web_search_calls') ||
  countAt(objectAt(usage, 'server_tool_use'), 'web_search_requests') ||
  countAt(usage, 'num_search_queries') ||
  countAt(usage, 'num_sources_used');

const citesPages = (choice: unknown): boolean =>
  listAt(objectAt(choice, 'delta'), 'annotations').some(isPage) ||
  listAt(objectAt(choice, 'message'), 'annotations').some(isPage);

const isPage = (annotation: unknown): boolean => isOfType(annotation, 'url_citation');

/** Tokens of the tool that draws, which stand beside those of the model: a cached part by kind, the rest of the input, the output. */
export const drawingTokens = (usage: unknown) => {
  const input = countAt(usage, 'input_tokens');
  const details = objectAt(usage, 'input_tokens_details');
  const cached = objectAt(usage, 'cached_tokens_details');
  const cachedText = countAt(cached, 'cached_text_tokens');
  const cachedImage = countAt(cached, 'cached_image_tokens');
  const cachedRest = Math.max(0, countAt(usage, 'cached_tokens') - cachedText - cachedImage);
  const images = Math.min(input, countAt(details, 'image_tokens'));
  const freshImages = Math.max(0, images - cachedImage);
  const cachedAll = Math.min(input, cachedText + cachedImage + cachedRest);
  const output = countAt(usage, 'output_tokens');
  const outputText = Math.min(output, countAt(objectAt(usage, 'output_tokens_details'), 'text_tokens'));
  return nonZero({
    input: Math.max(0, input - cachedAll - freshImages),
    input_image: Math.min(freshImages, input - cachedAll),
    cache_read: Math.max(0, cachedAll - Math.min(cachedImage, cachedAll)),
    cache_read_image: Math.min(cachedImage, cachedAll),
    output: outputText,
    // Where no details say otherwise, all that it wrote is pictures.
    output_image: output - outputText,
  });
};

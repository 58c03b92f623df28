import type { ServiceTier } from '@tollgate/vocabulary';
import { type BilledExtras, type ExtrasRules, orNothing, readTier } from '../billed-extras.ts';
import { countAt, type JsonObject, nonZero, objectAt, textAt } from '../json.ts';

export const MESSAGES_TIERS: Readonly<Record<string, ServiceTier>> = {
  standard: 'standard',
  priority: 'priority',
  batch: 'batch',
  // Of Bedrock, which tells them in a header.
  flex: 'flex',
  reserved: 'reserved',
  // Of a request: where the account has bought priority it is served in that.
  auto: 'priority',
};

/** Regions that cost what the list says. */
const UNPRICED_REGIONS = new Set(['', 'global', 'not_available']);

/** The first event of a stream says the tier and the region, the last one how often the tools ran. */
export const messagesExtras: ExtrasRules = {
  findInBody: (body) =>
    withContainer(extrasOf(objectAt(body, 'usage'), undefined), objectAt(body, 'container')),
  findInEvent(event, before) {
    switch (textAt(event, 'type')) {
      case 'message_start':
        return extrasOf(objectAt(objectAt(event, 'message'), 'usage'), before);
      case 'message_delta':
        return withContainer(
          extrasOf(objectAt(event, 'usage'), before),
          objectAt(objectAt(event, 'delta'), 'container'),
        );
      default:
        return before;
    }
  },
};

/** Each report names what it knows; a later number replaces an earlier one. */
function extrasOf(usage: unknown, before: BilledExtras | undefined): BilledExtras | undefined {
  if (usage === undefined) return before;
  const tools = objectAt(usage, 'server_tool_use');
  const tier = textAt(usage, 'service_tier');
  const region = textAt(usage, 'inference_geo');
  const isFast = textAt(usage, 'speed') === 'fast';
  return orNothing({
    ...before,
    ...(tier === '' ? {} : { serviceTier: undefined, ...readTier(tier, MESSAGES_TIERS) }),
    ...(isFast ? { serviceTier: 'fast' } : {}),
    ...(UNPRICED_REGIONS.has(region) ? {} : { region: region.slice(0, 64) }),
    units: {
      ...before?.units,
      ...nonZero({
        searches: countAt(tools, 'web_search_requests'),
        fetches: countAt(tools, 'web_fetch_requests'),
      }),
    },
  });
}

/** Code of a request runs in one container, which the end of the answer names. */
const withContainer = (
  extras: BilledExtras | undefined,
  container: JsonObject | undefined,
): BilledExtras | undefined =>
  container === undefined
    ? extras
    : { ...extras, units: { ...extras?.units, container_sessions: 1 }, counted: ['container_sessions'] };

import type { TokenCounts } from '@tollgate/vocabulary';
import type { RawUsage, UsageRules } from '../codec.ts';
import { countAt, listAt, nonZero, objectAt, textAt } from '../json.ts';

/** A stream reports it once, in its last event. */
export const converseUsage: UsageRules = {
  findInBody: (body) => objectAt(body, 'usage'),
  findInEvent(event) {
    const usage = objectAt(objectAt(event, 'metadata'), 'usage');
    return usage && { usage, final: true, cumulative: false };
  },
  toTokens: toConverseTokens,
};

/** The input count leaves cached tokens out. Writes that the details do not explain count as the short lifetime. */
function toConverseTokens(usage: RawUsage): TokenCounts {
  const long = listAt(usage, 'cacheDetails')
    .filter((detail) => textAt(detail, 'ttl') === '1h')
    .reduce<number>((sum, detail) => sum + countAt(detail, 'inputTokens'), 0);
  const written = Math.max(countAt(usage, 'cacheWriteInputTokens'), long);
  return nonZero({
    input: countAt(usage, 'inputTokens'),
    cache_read: countAt(usage, 'cacheReadInputTokens'),
    cache_write: written - long,
    cache_write_1h: long,
    output: countAt(usage, 'outputTokens'),
  });
}

import type { TokenCounts } from '@tollgate/vocabulary';
import type { RawUsage, UsageRules } from '../codec.ts';
import { countAt, listAt, nonZero, objectAt, textAt } from '../json.ts';

export const messagesUsage: UsageRules = {
  findInBody: (body) => objectAt(body, 'usage'),
  findInEvent(event, before) {
    switch (textAt(event, 'type')) {
      case 'message_start': {
        const usage = objectAt(objectAt(event, 'message'), 'usage');
        return usage && { usage, final: false, cumulative: false };
      }
      case 'message_delta': {
        const usage = objectAt(event, 'usage');
        return usage && { usage: overwrite(before ?? {}, usage), final: true, cumulative: true };
      }
      default:
        return undefined;
    }
  },
  toTokens: toMessagesTokens,
};

/** A later report replaces what it names; a counter that it leaves out or sets to null keeps its value. */
function overwrite(before: RawUsage, later: RawUsage): RawUsage {
  return {
    ...before,
    ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null && value !== undefined)),
  };
}

/**
 * Anthropic's input count leaves cached tokens out, its output count includes thinking. The split of cache writes by
 * lifetime comes only with the first report; writes that it does not explain count as the short lifetime. Compaction
 * and advisor iterations are billed beside the totals and are added to the same kinds.
 */
function toMessagesTokens(usage: RawUsage): TokenCounts {
  const all = [usage, ...listAt(usage, 'iterations').filter(isBilledApart)].map(tokensOfOne);
  const total: Record<string, number> = {};
  for (const counts of all) {
    for (const [kind, count] of Object.entries(counts)) total[kind] = (total[kind] ?? 0) + count;
  }
  return nonZero(total);
}

const BILLED_APART = new Set(['compaction', 'advisor_message']);
const isBilledApart = (iteration: unknown) => BILLED_APART.has(textAt(iteration, 'type'));

function tokensOfOne(
  usage: unknown,
): Record<'input' | 'cache_read' | 'cache_write' | 'cache_write_1h' | 'output' | 'output_reasoning', number> {
  const split = objectAt(usage, 'cache_creation');
  const long = countAt(split, 'ephemeral_1h_input_tokens');
  const written = Math.max(
    countAt(usage, 'cache_creation_input_tokens'),
    long + countAt(split, 'ephemeral_5m_input_tokens'),
  );
  const output = countAt(usage, 'output_tokens');
  const thinking = Math.min(output, countAt(objectAt(usage, 'output_tokens_details'), 'thinking_tokens'));
  return {
    input: countAt(usage, 'input_tokens'),
    cache_read: countAt(usage, 'cache_read_input_tokens'),
    cache_write: written - long,
    cache_write_1h: long,
    output: output - thinking,
    output_reasoning: thinking,
  };
}

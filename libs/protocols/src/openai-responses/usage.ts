import type { UsageRules } from '../codec.ts';
import { countAt, nonZero, objectAt, textAt } from '../json.ts';
import { openaiTokens } from '../openai-chat/openai-tokens.ts';

export const TERMINAL_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

export const responsesUsage: UsageRules = {
  findInBody: (body) => objectAt(body, 'usage'),
  findInEvent(event) {
    if (!TERMINAL_EVENTS.has(textAt(event, 'type'))) return undefined;
    const usage = objectAt(objectAt(event, 'response'), 'usage');
    return usage && { usage, final: true, cumulative: true };
  },
  toTokens(usage) {
    const details = objectAt(usage, 'input_tokens_details');
    return nonZero(
      openaiTokens({
        input: countAt(usage, 'input_tokens'),
        output: countAt(usage, 'output_tokens'),
        cacheRead: countAt(details, 'cached_tokens'),
        cacheWrite: countAt(details, 'cache_write_tokens'),
        cacheWriteLong: countAt(objectAt(details, 'cache_write_tokens_details'), 'ttl_12h_tokens'),
        audioIn: countAt(details, 'audio_tokens'),
        imageIn: countAt(details, 'image_tokens'),
        reasoning: countAt(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens'),
        audioOut: countAt(objectAt(usage, 'output_tokens_details'), 'audio_tokens'),
        imageOut: countAt(objectAt(usage, 'output_tokens_details'), 'image_tokens'),
      }),
    );
  },
};

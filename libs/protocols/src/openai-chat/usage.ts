import type { UsageOnRequest, UsageRules } from '../codec.ts';
import { countAt, type JsonObject, listAt, nonZero, objectAt, parseJson } from '../json.ts';
import { type Edit, findMembers, withoutMembers } from '../json-spans.ts';
import { openaiTokens } from './openai-tokens.ts';

export const chatUsage: UsageRules = {
  findInBody: findUsage,
  findInEvent(event) {
    const usage = findUsage(event);
    return usage && { usage, final: true, cumulative: true };
  },
  toTokens(usage) {
    const hit = countAt(usage, 'prompt_cache_hit_tokens');
    const details = objectAt(usage, 'prompt_tokens_details');
    return nonZero(
      openaiTokens({
        input: countAt(usage, 'prompt_tokens'),
        output: completionOf(usage),
        // DeepSeek and Moonshot have words of their own for it.
        cacheRead: countAt(details, 'cached_tokens') || hit || countAt(usage, 'cached_tokens'),
        cacheWrite: countAt(details, 'cache_write_tokens'),
        cacheWriteLong: 0,
        audioIn: countAt(details, 'audio_tokens'),
        imageIn: countAt(details, 'image_tokens'),
        reasoning: reasoningOf(usage),
        audioOut: countAt(objectAt(usage, 'completion_tokens_details'), 'audio_tokens'),
        imageOut: countAt(objectAt(usage, 'completion_tokens_details'), 'image_tokens'),
      }),
    );
  },
};

/** Groq puts the usage of a stream into a member of its own, Moonshot into the choice. */
function findUsage(event: unknown): JsonObject | undefined {
  return (
    objectAt(event, 'usage') ??
    objectAt(objectAt(event, 'x_groq'), 'usage') ??
    listAt(event, 'choices')
      .map((choice) => objectAt(choice, 'usage'))
      .find((usage) => usage !== undefined)
  );
}

const reasoningOf = (usage: JsonObject): number =>
  countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens');

/** xAI counts reasoning beside the completion: that is seen where the total adds up only with it. */
function completionOf(usage: JsonObject): number {
  const completion = countAt(usage, 'completion_tokens');
  const both = completion + reasoningOf(usage);
  return countAt(usage, 'total_tokens') >= countAt(usage, 'prompt_tokens') + both ? both : completion;
}

const USAGE_MEMBER = '"usage"';

/** A Chat stream reports its usage only where `stream_options.include_usage` asks for it. */
export const chatUsageOnRequest: UsageOnRequest = {
  ask(body) {
    const members = findMembers(body) ?? [];
    const options = members.filter(({ key }) => key === 'stream_options');
    const [first] = members;
    if (options.length === 0) {
      return first
        ? [{ start: first.keyStart, end: first.keyStart, bytes: '"stream_options":{"include_usage":true},' }]
        : [];
    }
    return options.flatMap(({ valueStart, valueEnd }): Edit[] => {
      const inner = findMembers(body, valueStart);
      if (inner === undefined) return [{ start: valueStart, end: valueEnd, bytes: '{"include_usage":true}' }];
      const present = inner.filter(({ key }) => key === 'include_usage');
      if (present.length > 0)
        return present.map((member) => ({ start: member.valueStart, end: member.valueEnd, bytes: 'true' }));
      return [
        {
          start: valueStart + 1,
          end: valueStart + 1,
          bytes: `"include_usage":true${inner.length > 0 ? ',' : ''}`,
        },
      ];
    });
  },
  mark: Buffer.from(USAGE_MEMBER),
  strip(json) {
    if (!json.includes(USAGE_MEMBER)) return json;
    const event = parseJson(json);
    const isUsageChunk = listAt(event, 'choices').length === 0 && objectAt(event, 'usage') !== undefined;
    return isUsageChunk ? undefined : withoutMembers(Buffer.from(json), ['usage']).toString('utf8');
  },
};

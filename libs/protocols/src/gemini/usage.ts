import type { TokenCounts } from '@tollgate/vocabulary';
import type { RawUsage, UsageRules } from '../codec.ts';
import { countAt, listAt, nonZero, objectAt, textAt } from '../json.ts';

export const geminiUsage: UsageRules = {
  findInBody: (body) => objectAt(body, 'usageMetadata'),
  findInEvent(event) {
    const usage = objectAt(event, 'usageMetadata');
    const finished = listAt(event, 'candidates').some(
      (candidate) => textAt(candidate, 'finishReason') !== '',
    );
    return usage && { usage, final: finished, cumulative: true };
  },
  toTokens: toGeminiTokens,
};

/**
 * Gemini's prompt count includes cached tokens; tool-use prompts come on top. Thoughts stand beside the candidates,
 * but some models count them in: that is seen when the total adds up without them.
 */
function toGeminiTokens(usage: RawUsage): TokenCounts {
  const prompt = countAt(usage, 'promptTokenCount');
  const cached = Math.min(prompt, countAt(usage, 'cachedContentTokenCount'));
  const toolUse = countAt(usage, 'toolUsePromptTokenCount');
  const thoughts = countAt(usage, 'thoughtsTokenCount');
  const candidates = countAt(usage, 'candidatesTokenCount');
  const total = countAt(usage, 'totalTokenCount');
  const inclusive = thoughts > 0 && thoughts <= candidates && prompt + toolUse + candidates === total;

  const fresh = prompt - cached;
  const ofPrompt = (modality: string) =>
    Math.max(
      0,
      modalityOf(usage, 'promptTokensDetails', modality) - modalityOf(usage, 'cacheTokensDetails', modality),
    );
  const cache_read_audio = Math.min(cached, modalityOf(usage, 'cacheTokensDetails', 'AUDIO'));
  const cache_read_image = Math.min(
    cached - cache_read_audio,
    modalityOf(usage, 'cacheTokensDetails', 'IMAGE'),
  );
  const input_audio = Math.min(fresh, ofPrompt('AUDIO'));
  const input_image = Math.min(fresh - input_audio, ofPrompt('IMAGE'));
  const visible = inclusive ? candidates - thoughts : candidates;
  const output_audio = Math.min(visible, modalityOf(usage, 'candidatesTokensDetails', 'AUDIO'));
  const output_image = Math.min(
    visible - output_audio,
    modalityOf(usage, 'candidatesTokensDetails', 'IMAGE'),
  );
  return nonZero({
    input: fresh - input_audio - input_image + toolUse,
    input_audio,
    input_image,
    cache_read: cached - cache_read_audio - cache_read_image,
    cache_read_audio,
    cache_read_image,
    output: visible - output_audio - output_image,
    output_reasoning: thoughts,
    output_audio,
    output_image,
  });
}

function modalityOf(usage: RawUsage, list: string, modality: string): number {
  return listAt(usage, list)
    .filter((entry) => textAt(entry, 'modality') === modality)
    .reduce<number>((sum, entry) => sum + countAt(entry, 'tokenCount'), 0);
}

import type { TokenCounts } from '@tollgate/vocabulary';
import type { BilledExtras } from '../billed-extras.ts';
import { countAt, isObject, type JsonObject, nonZero, objectAt } from '../json.ts';
import { toMilliseconds } from '../tasks/audio/sound-length.ts';

/**
 * Tokens of one response of a Realtime session, by the `usage` of its `response.done`. What was cached has a share of each
 * modality; what the details leave of a total is text.
 */
export function readRealtimeUsage(usage: JsonObject): TokenCounts {
  const details = objectAt(usage, 'input_token_details');
  const cached = objectAt(details, 'cached_tokens_details');
  const output = objectAt(usage, 'output_token_details');
  const input = shareOut(countAt(usage, 'input_tokens'));
  const read = shareOut(input.take(countAt(details, 'cached_tokens')));
  const cache_read_audio = read.take(countAt(cached, 'audio_tokens'));
  const cache_read_image = read.take(countAt(cached, 'image_tokens'));
  const input_audio = input.take(countAt(details, 'audio_tokens') - cache_read_audio);
  const input_image = input.take(countAt(details, 'image_tokens') - cache_read_image);
  const written = shareOut(countAt(usage, 'output_tokens'));
  const output_audio = written.take(countAt(output, 'audio_tokens'));
  return nonZero({
    input: input.rest(),
    input_audio,
    input_image,
    cache_read: read.rest(),
    cache_read_audio,
    cache_read_image,
    output: written.rest(),
    output_audio,
  });
}

/** What a transcription of what the user said is billed: tokens, or the length of the sound. */
interface TranscriptionUsage {
  readonly tokens: TokenCounts;
  readonly extras: BilledExtras | undefined;
}

/** Reads the `usage` of a transcription. Undefined where it says neither tokens nor a length. */
export function readTranscriptionUsage(usage: unknown): TranscriptionUsage | undefined {
  if (!isObject(usage)) return undefined;
  if (usage['type'] === 'duration') {
    const audio_milliseconds = toMilliseconds(usage['seconds']);
    return audio_milliseconds === undefined
      ? undefined
      : { tokens: {}, extras: { units: { audio_milliseconds } } };
  }
  if (usage['type'] !== 'tokens') return undefined;
  const input = shareOut(countAt(usage, 'input_tokens'));
  const input_audio = input.take(countAt(objectAt(usage, 'input_token_details'), 'audio_tokens'));
  const output = countAt(usage, 'output_tokens');
  return { tokens: nonZero({ input: input.rest(), input_audio, output }), extras: undefined };
}

function shareOut(total: number) {
  let left = total;
  return {
    take(part: number): number {
      const taken = Math.min(left, Math.max(0, part));
      left -= taken;
      return taken;
    },
    rest: () => left,
  };
}

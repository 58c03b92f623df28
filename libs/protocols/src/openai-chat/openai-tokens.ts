/**
 * OpenAI's totals include their details: cached, cache-write, audio and image tokens are part of the input, reasoning
 * and audio part of the output. Details that exceed their total are cut down to it, so that no count goes below zero.
 */
export function openaiTokens(reported: {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteLong: number;
  readonly audioIn: number;
  readonly imageIn: number;
  readonly reasoning: number;
  readonly audioOut: number;
  readonly imageOut: number;
}) {
  const input = shareOut(reported.input);
  const cache_read = input.take(reported.cacheRead);
  const cache_write_1h = input.take(reported.cacheWriteLong);
  const cache_write = input.take(reported.cacheWrite - reported.cacheWriteLong);
  const input_audio = input.take(reported.audioIn);
  const input_image = input.take(reported.imageIn);
  const output = shareOut(reported.output);
  const output_reasoning = output.take(reported.reasoning);
  const output_audio = output.take(reported.audioOut);
  const output_image = output.take(reported.imageOut);
  return {
    input: input.rest(),
    input_audio,
    input_image,
    cache_read,
    cache_write,
    cache_write_1h,
    output: output.rest(),
    output_reasoning,
    output_audio,
    output_image,
  };
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

import { INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { readRealtimeUsage, readTranscriptionUsage } from './usage.ts';

test('of the usage of a response every modality is told apart, cached and not', () => {
  const usage = {
    total_tokens: 253,
    input_tokens: 132,
    output_tokens: 121,
    input_token_details: {
      text_tokens: 89,
      audio_tokens: 33,
      image_tokens: 10,
      cached_tokens: 74,
      cached_tokens_details: { text_tokens: 64, audio_tokens: 8, image_tokens: 2 },
    },
    output_token_details: { text_tokens: 30, audio_tokens: 91 },
  };
  expect(readRealtimeUsage(usage)).toEqual({
    input: 25,
    input_audio: 25,
    input_image: 8,
    cache_read: 64,
    cache_read_audio: 8,
    cache_read_image: 2,
    output: 30,
    output_audio: 91,
  });
});

test('without details everything is text, and without anything it is nothing', () => {
  expect(readRealtimeUsage({ input_tokens: 5, output_tokens: 7 })).toEqual({ input: 5, output: 7 });
  expect(readRealtimeUsage({})).toEqual({});
});

test('whatever the details say, the kinds sum to the totals', () => {
  const count = fc.nat(1_000);
  fc.assert(
    fc.property(count, count, count, count, count, count, count, (input, output, ...parts) => {
      const [audio_tokens, image_tokens, cached_tokens, cachedAudio, audioOut] = parts;
      const tokens = readRealtimeUsage({
        input_tokens: input,
        output_tokens: output,
        input_token_details: {
          audio_tokens,
          image_tokens,
          cached_tokens,
          cached_tokens_details: { audio_tokens: cachedAudio },
        },
        output_token_details: { audio_tokens: audioOut },
      });
      expect(sumTokens(tokens, INPUT_TOKEN_KINDS)).toBe(input);
      expect(sumTokens(tokens, OUTPUT_TOKEN_KINDS)).toBe(output);
    }),
  );
});

test.each([
  [
    { type: 'duration', seconds: 2.5 },
    { tokens: {}, extras: { units: { audio_milliseconds: 2_500 } } },
  ],
  [
    { type: 'duration', seconds: 0.0001 },
    { tokens: {}, extras: { units: { audio_milliseconds: 1 } } },
  ],
  [
    { type: 'duration', seconds: 1.001 },
    { tokens: {}, extras: { units: { audio_milliseconds: 1_001 } } },
  ],
  [
    {
      type: 'tokens',
      input_tokens: 17,
      output_tokens: 9,
      input_token_details: { text_tokens: 4, audio_tokens: 13 },
    },
    { tokens: { input: 4, input_audio: 13, output: 9 }, extras: undefined },
  ],
  [
    // Nine places of a double would say 1: the digits say more than a millisecond.
    { type: 'duration', seconds: 0.0010000000001 },
    { tokens: {}, extras: { units: { audio_milliseconds: 2 } } },
  ],
  [
    { type: 'duration', seconds: '8.470000267028809' },
    { tokens: {}, extras: { units: { audio_milliseconds: 8_471 } } },
  ],
  [
    { type: 'duration', seconds: 1e300 },
    { tokens: {}, extras: { units: { audio_milliseconds: 1e12 } } },
  ],
  [{ type: 'duration', seconds: -1 }, undefined],
  [{ type: 'duration', seconds: null }, undefined],
  [{ type: 'words' }, undefined],
  [null, undefined],
])('a transcription that says %j counts %j', (usage, counted) => {
  expect(readTranscriptionUsage(usage)).toEqual(counted);
});

import type { Json } from '../question.ts';

/** As OpenAI begins one. */
export const newSession = (model: string): Json => ({
  type: 'realtime',
  object: 'realtime.session',
  id: 'sess_sim',
  model,
  output_modalities: ['audio'],
  instructions: 'Be kind and brief.',
  tools: [],
  tool_choice: 'auto',
  max_output_tokens: 'inf',
  tracing: null,
  truncation: 'auto',
  prompt: null,
  include: null,
  audio: {
    input: {
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: null,
      noise_reduction: null,
      turn_detection: {
        type: 'server_vad',
        threshold: 0.5,
        prefix_padding_ms: 300,
        silence_duration_ms: 200,
        idle_timeout_ms: null,
        create_response: true,
        interrupt_response: true,
      },
    },
    output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'alloy', speed: 1 },
  },
});

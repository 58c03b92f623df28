import { z } from 'zod';
import type { RelayRoute } from './relay-route.ts';

const model = z.string().min(1).max(256).meta({ description: 'As the list of models names it' });
const file = z
  .string()
  .meta({ format: 'binary', description: 'The sound; what upstreams take of its formats is theirs to say' });
const format = z
  .enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'])
  .nullish()
  .meta({ description: '`text`, `srt` and `vtt` are made here of what the upstream says as JSON' });

const translationBody = z
  .looseObject({ model, file, response_format: format, prompt: z.string().nullish() })
  .meta({ id: 'TranslationRequest', examples: [{ model: 'sim-transcribe', file: 'speech.mp3' }] });

const transcriptionBody = z
  .looseObject({
    model,
    file,
    response_format: format,
    prompt: z.string().nullish(),
    language: z.string().nullish(),
    stream: z.enum(['true', 'false', 'True', 'False']).nullish(),
  })
  .meta({ id: 'TranscriptionRequest', examples: [{ model: 'sim-transcribe', file: 'speech.mp3' }] });

const transcript = z
  .looseObject({ text: z.string(), usage: z.looseObject({ type: z.string() }).nullish() })
  .meta({ id: 'Transcript' });

const speechBody = z
  .looseObject({
    model,
    input: z.string().min(1),
    voice: z.unknown().optional(),
    instructions: z.string().nullish(),
    response_format: z.string().nullish().meta({ description: 'mp3, opus, aac, flac, wav or pcm' }),
    speed: z.number().min(0.25).max(4).nullish(),
    stream_format: z.enum(['audio', 'sse']).nullish(),
  })
  .meta({ id: 'SpeechRequest', examples: [{ model: 'sim-speak', input: 'Hello' }] });

const OPENAI = { method: 'POST', kind: 'generate', protocol: 'openai-chat' } as const;

export const AUDIO_ROUTES: Readonly<Record<string, RelayRoute>> = {
  createTranscription: {
    ...OPENAI,
    tag: 'Transcription',
    path: '/v1/audio/transcriptions',
    task: { task: 'transcribe', format: 'openai' },
    summary: 'Write down what is said',
    description:
      'A form is read as it comes and sent once it is whole; its fields pass as they are. What is held is what a sound of that size can be at most.',
    body: transcriptionBody,
    bodyType: 'multipart/form-data',
    answer: transcript,
    streams: 'asked for in the body',
  },
  createTranslation: {
    ...OPENAI,
    tag: 'Speech translation',
    path: '/v1/audio/translations',
    task: { task: 'translate', format: 'openai' },
    summary: 'Write down in English what is said',
    body: translationBody,
    bodyType: 'multipart/form-data',
    answer: transcript,
  },
  createSpeech: {
    ...OPENAI,
    tag: 'Speech',
    path: '/v1/audio/speech',
    task: { task: 'speak', format: 'openai' },
    summary: 'Say a text',
    description: 'The sound passes as it comes, from its first byte on.',
    body: speechBody,
    answer: z.string().meta({ format: 'binary' }),
    answerType: 'audio/*',
    streams: 'asked for in the body',
  },
};

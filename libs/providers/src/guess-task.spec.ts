import { guessOperations, guessTask, isForNothingServed } from './guess-task.ts';

test.each([
  'dall-e-3',
  'gpt-image-1',
  'flux-1.1-pro',
  'black-forest-labs/flux-schnell',
  'tts-1-hd',
  'whisper-1',
  'gpt-4o-transcribe',
  'mj_imagine',
  'suno_music',
  'gpt-4o-realtime-preview',
])('%s is for nothing that is served', (name) => {
  // Whoever serves it names its task in place of this.
  expect(isForNothingServed(name)).toBe(guessTask(name) === undefined);
});

test.each([
  'gpt-4o',
  'gpt-4o-audio-preview',
  'gemini-2.5-flash-image',
  'claude-sonnet-5',
  'grok-4',
  'deepseek-chat',
  'asrael-7b',
  'veonix-2',
  'text-embedding-3-small',
  'rerank-v3.5',
])('%s is for a conversation or a task', (name) => {
  expect(isForNothingServed(name)).toBe(false);
});

test.each([
  ['gpt-realtime', ['realtime']],
  ['gpt-4o-realtime-preview', ['realtime']],
  ['whisper-large-v3', ['transcribe', 'translate']],
  ['gpt-image-1', ['draw', 'edit']],
  ['dall-e-3', ['draw']],
  ['text-embedding-3-small', ['embed']],
  ['gpt-4o', []],
])('%s is for %j', (name, operations) => {
  expect(guessOperations(name)).toEqual(operations);
});

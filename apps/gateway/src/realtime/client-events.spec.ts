import { readClientEvent } from './client-events.ts';

const RULES = {
  maxValues: 1_000,
  model: 'voice',
  upstreamModel: 'gpt-realtime',
  mayUse: (model: string) => model === 'whisper-1',
};
const read = (event: unknown) => readClientEvent(Buffer.from(JSON.stringify(event)), RULES);
const update = (session: object) => read({ type: 'session.update', session });

describe('a change of a session', () => {
  test('names the model as the upstream does, and leaves no response to begin by itself', () => {
    const detection = { type: 'semantic_vad', create_response: true, interrupt_response: false };
    expect(
      update({ type: 'realtime', model: 'voice', audio: { input: { turn_detection: detection } } }),
    ).toMatchObject({
      kind: 'update',
      update: {
        session: {
          type: 'realtime',
          model: 'gpt-realtime',
          audio: { input: { turn_detection: { ...detection, create_response: false } } },
        },
        responds: true,
        transcriber: undefined,
      },
    });
  });

  test.each([
    ['says nothing of it', {}, undefined],
    ['leaves the default', { turn_detection: { type: 'server_vad' } }, true],
    ['wants none', { turn_detection: { type: 'server_vad', create_response: false } }, false],
    ['does not listen', { turn_detection: null }, undefined],
  ])('that %s about answers', (_what, input, responds) => {
    expect(update({ type: 'realtime', audio: { input } })).toMatchObject({ update: { responds } });
  });

  test.each([
    [{ transcription: { model: 'whisper-1' } }, 'whisper-1'],
    [{ transcription: null }, null],
    [{}, undefined],
  ])('with %j is transcribed by %p', (input, transcriber) => {
    expect(update({ type: 'realtime', audio: { input } })).toMatchObject({ update: { transcriber } });
  });
});

test.each([
  ['a session that only transcribes', { type: 'session.update', session: { type: 'transcription' } }],
  ['another model', { type: 'session.update', session: { type: 'realtime', model: 'gpt-realtime' } }],
  ['names of the beta', { type: 'session.update', session: { turn_detection: { type: 'server_vad' } } }],
  ['answers after silence', inputOf({ turn_detection: { type: 'server_vad', idle_timeout_ms: 5_000 } })],
  ['a transcriber that may not be used', inputOf({ transcription: { model: 'gpt-4o-transcribe' } })],
  ['a transcriber without a name', inputOf({ transcription: {} })],
  ['a stored prompt', { type: 'response.create', response: { prompt: { id: 'pmpt_1' } } }],
  ['a tool that the vendor runs', { type: 'response.create', response: { tools: [{ type: 'mcp' }] } }],
  ['a limit that is none', { type: 'response.create', response: { max_output_tokens: 0.5 } }],
  ['an unknown event', { type: 'transcription_session.update' }],
  ['a list', []],
  ['more values than are read', { type: 'response.create', response: { metadata: Array(2_000).fill(1) } }],
])('%s is refused', (_what, event) => {
  expect(read(event)).toMatchObject({ kind: 'refused' });
});

test.each([
  ['{"type":"response.create","type":"input_audio_buffer.commit"}', 'type'],
  ['{"type":"conversation.item.create","item":{"type":"message","type":"x"}}', 'item.type'],
])('%s may be read as two events, and is refused', (text, param) => {
  expect(readClientEvent(Buffer.from(text), RULES)).toMatchObject({ kind: 'refused', error: { param } });
});

function inputOf(input: object) {
  return { type: 'session.update', session: { type: 'realtime', audio: { input } } };
}

test('what costs nothing by itself passes, with the id that errors name', () => {
  const event = { type: 'conversation.item.truncate', item_id: 'i', content_index: 0, event_id: 'mine' };
  expect(read(event)).toEqual({ kind: 'pass', type: event.type, json: event, eventId: 'mine' });
});

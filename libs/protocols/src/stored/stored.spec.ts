import type { ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { JsonObject } from '../json.ts';
import { itemId } from '../openai-responses/kept/kept-ids.ts';
import { CODECS } from '../registry.ts';
import { createResponseRewriter } from '../rewriter.ts';
import { readStored } from './read-stored.ts';
import { createStoredIds, placeId } from './stored-ids.ts';
import { createAnswerWrapper } from './wrap-answer.ts';

const ids = createStoredIds(Buffer.alloc(32, 1));
const HERE = placeId('upstream', 'a');
const THERE = placeId('upstream', 'b');
const mine = (id: string, place = HERE) => ids.wrap(id, { account: 'me', place });

describe('a wrapped id', () => {
  test('opens for its account alone, with the place where it is kept', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.constantFrom('', 'resp_', 'file-', 'msg_'),
        (rest, prefix) => {
          const id = prefix + rest;
          const text = mine(id);
          expect(text.startsWith(prefix)).toBe(true);
          expect(ids.unwrap(text, 'me')).toEqual({ id, place: HERE });
          expect(ids.unwrap(text, 'you')).toBeNull();
          expect(createStoredIds(Buffer.alloc(32, 2)).unwrap(text, 'me')).toBeNull();
          expect(
            createStoredIds(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]).unwrap(text, 'me'),
          ).not.toBeNull();
        },
      ),
    );
  });

  test('opens where a vendor’s id is its prefix and nothing more', () => {
    expect(ids.unwrap(mine('A-'), 'me')).toEqual({ id: 'A-', place: HERE });
  });

  test('is nothing once a letter of it is changed', () => {
    const text = mine('resp_0123456789abcdef');
    for (let at = 'resp_tg1'.length; at < text.length; at += 1) {
      const other = text[at] === 'A' ? 'B' : 'A';
      expect(ids.unwrap(text.slice(0, at) + other + text.slice(at + 1), 'me')).toBeNull();
    }
  });

  test('stays as long as an id may be, and one of a vendor is none', () => {
    expect(mine(`resp_${'a'.repeat(48)}`)).toHaveLength(84);
    expect(ids.unwrap('resp_0123', 'me')).toBeUndefined();
  });
});

const read = (protocol: ClientProtocol, body: JsonObject) => readStored(protocol, body, ids, 'me');

/** Every place where a request may name what a vendor keeps, by the path that an error names. */
const NAMED: readonly [ClientProtocol, string, (id: string) => JsonObject][] = [
  ['openai-responses', 'previous_response_id', (id) => ({ previous_response_id: id })],
  ['openai-responses', 'conversation', (id) => ({ conversation: id })],
  ['openai-responses', 'conversation.id', (id) => ({ conversation: { id } })],
  ['openai-responses', 'prompt.id', (id) => ({ prompt: { id } })],
  ['openai-responses', 'input[0].id', (id) => ({ input: [{ type: 'item_reference', id }] })],
  ['openai-responses', 'input[0].id', (id) => ({ input: [{ id }] })],
  ['openai-responses', 'input.id', (id) => ({ input: { type: 'item_reference', id } })],
  ['openai-responses', 'input[0].id', (id) => ({ input: [{ type: 'reasoning', id, summary: [] }] })],
  ['openai-responses', 'input[0].id', (id) => ({ input: [{ type: 'image_generation_call', id }] })],
  ['openai-responses', 'input[0].id', (id) => ({ input: [{ type: 'message', id }] })],
  [
    'openai-responses',
    'input[0].content[0].file_id',
    (id) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] }),
  ],
  [
    'openai-responses',
    'input[0].output.file_id',
    (id) => ({
      input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: id } }],
    }),
  ],
  [
    'openai-responses',
    'input[0].approval_request_id',
    (id) => ({ input: [{ type: 'mcp_approval_response', approval_request_id: id }] }),
  ],
  [
    'openai-responses',
    'tools[0].vector_store_ids[0]',
    (id) => ({ tools: [{ type: 'file_search', vector_store_ids: [id] }] }),
  ],
  [
    'openai-responses',
    'tools[0].container',
    (id) => ({ tools: [{ type: 'code_interpreter', container: id }] }),
  ],
  [
    'openai-responses',
    'tools[0].container.file_ids[0]',
    (id) => ({ tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [id] } }] }),
  ],
  [
    'openai-responses',
    'tools[0].environment.container_id',
    (id) => ({ tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: id } }] }),
  ],
  ['openai-chat', 'messages[0].audio.id', (id) => ({ messages: [{ role: 'assistant', audio: { id } }] })],
  [
    'openai-chat',
    'messages[0].content[0].file.file_id',
    (id) => ({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }] }),
  ],
  ['anthropic-messages', 'container', (id) => ({ container: id })],
  ['anthropic-messages', 'container.id', (id) => ({ container: { id } })],
  [
    'anthropic-messages',
    'messages[0].content[0].source.file_id',
    (id) => ({
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: id } }] }],
    }),
  ],
  [
    'anthropic-messages',
    'messages[0].content[0].file_id',
    (id) => ({ messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: id }] }] }),
  ],
  ['gemini', 'cachedContent', (id) => ({ cachedContent: id })],
  [
    'gemini',
    'generateContentRequest.cachedContent',
    (id) => ({ generateContentRequest: { cachedContent: id } }),
  ],
];

describe.each(NAMED)('%s %s', (protocol, param, bodyOf) => {
  test('a vendor’s own id, another account’s and a forged one are not found', () => {
    const theirs = ids.wrap('abc_1', { account: 'you', place: HERE });
    for (const id of ['abc_1', theirs, `${mine('abc_1')}x`])
      expect(read(protocol, bodyOf(id))).toMatchObject({ ok: false, error: { kind: 'not_found', param } });
  });

  test('what the account received is sent where it is kept, as the vendor knows it', () => {
    const body = bodyOf(mine('abc_1'));
    const state = read(protocol, body);
    if (!state.ok) throw new Error(state.error.message);
    expect(state).toMatchObject({ needed: HERE, param });
    expect({ ...body, ...state.changesAt(HERE, () => body) }).toEqual(bodyOf('abc_1'));
  });
});

test.each(['gs://bucket/x', 'files/abc', 'https://generativelanguage.googleapis.com/v1beta/files/abc'])(
  'Gemini: %s is somebody else’s file',
  (fileUri) => {
    expect(read('gemini', { contents: [{ parts: [{ fileData: { fileUri } }] }] })).toMatchObject({
      ok: false,
      error: { kind: 'not_found', param: 'contents[0].parts[0].fileData.fileUri' },
    });
  },
);

test.each<[ClientProtocol, JsonObject]>([
  ['gemini', { contents: [{ parts: [{ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }] }] }],
  ['gemini', { contents: [{ parts: [{ functionCall: { name: 'f', args: { fileUri: 'gs://x' } } }] }] }],
  ['anthropic-messages', { messages: [{ content: [{ type: 'tool_use', input: { file_id: 'theirs' } }] }] }],
  [
    'openai-chat',
    { tools: [{ function: { parameters: { default: { file_id: 'x' } } } }], metadata: { file_id: 'x' } },
  ],
  [
    'openai-responses',
    { client_metadata: { prompt_id: 'x' }, previous_response_id: null, conversation: null },
  ],
  // As Codex makes up the ids of what it says itself.
  [
    'openai-responses',
    {
      input: [
        { type: 'message', id: 'msg_own', role: 'user', content: [] },
        { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', id: 'fco_1', call_id: 'c', output: 'x' },
        { type: 'additional_tools', id: 'at_1', tools: [] },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      ],
    },
  ],
])('%s: %j names nothing that is kept', (protocol, body) => {
  const state = read(protocol, body);
  expect(state).toMatchObject({ ok: true, needed: undefined, preferred: [] });
  expect(state.ok && state.changesAt(HERE, () => body)).toEqual({});
});

test('an item that is told in full goes anywhere: its id stays where it is kept, and is left out elsewhere', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
  const next = { role: 'user', content: 'x' };
  const body = { input: [{ ...message, id: mine('msg_1') }, next] };
  const state = read('openai-responses', body);
  if (!state.ok) throw new Error(state.error.message);
  expect(state).toMatchObject({ needed: undefined, preferred: [] });
  expect(state.changesAt(HERE, () => body)).toEqual({ input: [{ ...message, id: 'msg_1' }, next] });
  expect(state.changesAt(THERE, () => body)).toEqual({ input: [message, next] });
});

test('sealed reasoning prefers the account that can read it; another one does without', () => {
  const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'sealed' };
  const body = {
    input: [
      { ...reasoning, id: mine('rs_1') },
      { ...reasoning, id: mine('rs_2', THERE) },
    ],
  };
  const state = read('openai-responses', body);
  if (!state.ok) throw new Error(state.error.message);
  expect(state).toMatchObject({ needed: undefined, preferred: [THERE, HERE] });
  expect(state.changesAt(THERE, () => body)).toEqual({ input: [{ ...reasoning, id: 'rs_2' }] });
});

test('reasoning that was converted and has no state is left out where its format is spoken', () => {
  const id = itemId('rs', 'resp_1', 0);
  const body = {
    input: [
      { type: 'reasoning', id, summary: [] },
      { role: 'user', content: 'x' },
    ],
  };
  const state = read('openai-responses', body);
  expect(state).toMatchObject({ ok: true, needed: undefined, preferred: [] });
  expect(state.ok && state.changesAt(HERE, () => body)).toEqual({ input: [body.input[1]] });
});

test('what a vendor’s tool told keeps its words without the vendor’s own ids', () => {
  const call = { type: 'web_search_call', id: 'ws_own', action: { type: 'search', query: 'x' } };
  const body = { input: [call] };
  const state = read('openai-responses', body);
  expect(state.ok && state.changesAt(HERE, () => body)).toEqual({
    input: [{ type: call.type, action: call.action }],
  });
});

test('things at two places are a 400', () => {
  const body = {
    previous_response_id: mine('resp_1'),
    input: [{ type: 'item_reference', id: mine('rs_1', THERE) }],
  };
  expect(read('openai-responses', body)).toMatchObject({ ok: false, error: { kind: 'invalid_request' } });
});

test('a vendor’s words about an id are told with the id that the caller knows', () => {
  const state = read('openai-responses', { previous_response_id: mine('resp_1') });
  expect(state.ok && state.retell('resp_1 not found')).toBe(`${mine('resp_1')} not found`);
});

const wrapper = (protocol: ClientProtocol) =>
  createAnswerWrapper(protocol, ids, { account: 'me', place: HERE });

test('every id of a whole answer is wrapped, and all else stays byte for byte', () => {
  const raw = (id: (raw: string) => string) =>
    `{"id":"${id('resp_1')}", "object":"response","previous_response_id":"${id('resp_0')}","n":1.0,"conversation":{"id":"${id('conv_1')}"},` +
    `"output":[{"type":"message","id":"${id('msg_1')}","content":[{"type":"output_text","text":"\\"resp_1\\" resp_1","annotations":[` +
    `{"type":"container_file_citation","container_id":"${id('cntr_1')}","file_id":"${id('cfile_1')}"}]}]},` +
    `{"type":"code_interpreter_call","id":"${id('ci_1')}","container_id":"${id('cntr_1')}"}],"tools":[{"type":"function","name":"f","parameters":{"file_id":"x"}}]}`;
  expect(wrapper('openai-responses')(raw((id) => id))).toBe(raw((id) => mine(id)));
});

test('a stream names each thing alike in all of its events, cut anywhere', () => {
  const stream = (id: (raw: string) => string) =>
    [
      `{"type":"response.created","response":{"id":"${id('resp_1')}","output":[]}}`,
      `{"type":"response.output_item.added","output_index":0,"item":{"id":"${id('msg_1')}","type":"message"}}`,
      `{"type":"response.output_text.delta","item_id":"${id('msg_1')}","delta":"say \\"item_id\\":\\"msg_1\\""}`,
      `{"type":"response.output_text.delta", "item_id" : "${id('msg_1')}","delta":"msg_1"}`,
      `{"type":"response.output_text.annotation.added","item_id":"${id('msg_1')}","annotation":{"container_id":"${id('cntr_1')}"}}`,
      `{"type":"response.completed","response":{"id":"${id('resp_1')}","output":[{"id":"${id('msg_1')}"}]}}`,
    ]
      .map((data) => `data: ${data}\n\n`)
      .join('');
  const raw = Buffer.from(stream((id) => id));
  for (const size of [1, 7, 64, raw.length]) {
    const rewriter = createResponseRewriter('openai-responses', {
      stream: 'sse',
      wrap: wrapper('openai-responses'),
    });
    const parts: (Buffer | undefined)[] = [];
    for (let at = 0; at < raw.length; at += size) parts.push(rewriter.push(raw.subarray(at, at + size)));
    parts.push(rewriter.end());
    expect(Buffer.concat(parts.filter((part) => part !== undefined)).toString()).toBe(
      stream((id) => mine(id)),
    );
  }
});

test.each<[ClientProtocol, (id: (raw: string) => string) => string]>([
  ['openai-chat', (id) => `{"choices":[{"message":{"audio":{"id":"${id('audio_1')}","data":""}}}]}`],
  ['openai-chat', (id) => `{"choices":[{"delta":{"audio":{"id":"${id('audio_1')}"}}}]}`],
  ['anthropic-messages', (id) => `{"type":"message","container":{"id":"${id('container_1')}"}}`],
  [
    'anthropic-messages',
    (id) => `{"type":"message_start","message":{"id":"msg_1","container":{"id":"${id('container_1')}"}}}`,
  ],
  [
    'anthropic-messages',
    (id) => `{"type":"message_delta","delta":{"container":{"id":"${id('container_1')}"}}}`,
  ],
  [
    'anthropic-messages',
    (id) =>
      `{"type":"content_block_start","content_block":{"type":"code_execution_tool_result","content":{"content":[{"file_id":"${id('file_1')}"}]}}}`,
  ],
])('%s: what its tools leave at the vendor is wrapped: %#', (protocol, raw) => {
  expect(wrapper(protocol)(raw((id) => id))).toBe(raw((id) => mine(id)));
});

test.each<[ClientProtocol, JsonObject, boolean]>([
  ['openai-responses', {}, true],
  ['openai-responses', { store: true }, true],
  ['openai-responses', { store: false }, false],
  ['openai-responses', { store: false, tools: [{ type: 'code_interpreter' }] }, true],
  ['openai-chat', {}, false],
  ['openai-chat', { modalities: ['text', 'audio'] }, true],
  ['anthropic-messages', {}, false],
  ['anthropic-messages', { tools: [{ type: 'code_execution_20250825' }] }, true],
  ['gemini', {}, false],
])('%s %j may be answered with something that stays: %s', (protocol, body, expected) => {
  expect(CODECS[protocol].stored.gives(body)).toBe(expected);
});

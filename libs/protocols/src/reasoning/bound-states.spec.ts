import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { createStateWrapper } from '../convert/reasoning-state.ts';
import type { JsonObject } from '../json.ts';
import type { ReasoningState } from '../neutral/request.ts';
import { CODECS } from '../registry.ts';
import { bindRequest, bindStates, refusesStates, withoutStates } from './bound-states.ts';
import { holdsMark } from './state-rules.ts';

const WRAPPER = createStateWrapper(Buffer.from('states'));
const HERE = 'here';
const THERE = 'there';

/** The state of a vendor as a client of each format brings it back, as the newest of its conversation. */
const BODIES: Record<ClientProtocol, (state: string) => JsonObject> = {
  'openai-chat': (state) => ({
    messages: [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: 'Yes.',
        tool_calls: [
          {
            id: 'a',
            function: { name: 'f' },
            ...(state && { extra_content: { google: { thought_signature: state } } }),
          },
        ],
      },
    ],
  }),
  'openai-responses': (state) => ({
    input: [
      { role: 'user', content: 'Go.' },
      ...(state ? [{ type: 'reasoning', summary: [], encrypted_content: state }] : []),
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    ],
  }),
  'anthropic-messages': (state) => ({
    messages: [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: [
          ...(state ? [{ type: 'thinking', thinking: 'So.', signature: state }] : []),
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
        ],
      },
    ],
  }),
  gemini: (state) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Go.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f' }, ...(state && { thoughtSignature: state }) }] },
    ],
  }),
};

const sentAs = (protocol: ClientProtocol, wrapped: string): string =>
  protocol === 'gemini' ? Buffer.from(wrapped).toString('base64') : wrapped;

describe.each(CLIENT_PROTOCOLS)('%s', (protocol) => {
  const bodyOf = BODIES[protocol];
  const own: ReasoningState = { format: protocol, kind: 'signed', data: 'OWN=' };
  const foreign: ReasoningState = {
    format: protocol === 'gemini' ? 'openai-chat' : 'gemini',
    kind: 'signed',
    data: 'FOREIGN',
  };
  const wrap = (states: readonly ReasoningState[], place?: string) =>
    sentAs(protocol, (place ? bindStates(WRAPPER, place) : WRAPPER).wrap(states));
  const bind = (body: JsonObject, more: { made?: string; dropsAll?: boolean } = {}) => {
    const bound = bindRequest(body, WRAPPER, {
      protocol,
      place: HERE,
      upstreamModel: 'gemini-2.5-pro',
      placeOf: () => more.made,
      dropsAll: more.dropsAll ?? false,
    });
    return { sent: { ...body, ...bound.changes }, ...bound };
  };

  test('what was wrapped here bears the mark that is looked for, and no other state does', () => {
    const { mark, statesIn } = CODECS[protocol].states;
    for (const states of [[], [own], [foreign, own]]) {
      const body = bodyOf(wrap(states));
      expect(JSON.stringify(body)).toContain(mark);
      expect(statesIn(body)).toHaveLength(1);
    }
    expect(JSON.stringify(bodyOf('OWN='))).not.toContain(mark);
  });

  test.each([
    ['a foreign state', () => wrap([foreign]), {}],
    ['no state', () => wrap([]), {}],
    ['one of another place', () => wrap([own], THERE), {}],
    ['the own one of another place, which is known', () => 'OWN=', { made: THERE }],
    ['the own one, when all is refused', () => 'OWN=', { dropsAll: true }],
    ['the own one that was wrapped, when all is refused', () => wrap([own], HERE), { dropsAll: true }],
    ['one that was changed', () => sentAs(protocol, 'tg1.AAAA.BBBB'), {}],
  ])('%s is left out, and the rest stays', (_, state, more) => {
    const { sent, dropped } = bind(bodyOf(state()), more);
    expect(sent).toEqual(bodyOf(''));
    expect(dropped).toBe(true);
  });

  test.each([
    ['unwrapped', () => wrap([own], HERE)],
    ['unwrapped from among others', () => wrap([foreign, own], HERE)],
    ['unwrapped where nobody knows its place', () => wrap([own])],
  ])('its own state is %s', (_, state) => {
    const { sent, dropped } = bind(bodyOf(state()));
    expect(sent).toEqual(bodyOf('OWN='));
    expect(dropped).toBe(false);
  });

  test('its own state stays as it came, and so does the body', () => {
    for (const made of [HERE, undefined])
      expect(bind(bodyOf('OWN='), made ? { made } : {})).toMatchObject({ changes: {}, dropped: false });
    expect(bind({}, {})).toMatchObject({ changes: {} });
  });
});

describe('Anthropic', () => {
  const running = (thinking: JsonObject) => ({
    thinking,
    context_management: {
      edits: [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }],
    },
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'OWN=' },
          { type: 'tool_use', id: 'a' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ],
  });
  const bind = (body: JsonObject) =>
    bindRequest(body, WRAPPER, {
      protocol: 'anthropic-messages',
      place: HERE,
      upstreamModel: 'm',
      dropsAll: true,
      placeOf: () => undefined,
    }).changes;

  test('a running tool turn that lost its thought goes on without a budget for thinking', () => {
    const changes = bind(running({ type: 'enabled', budget_tokens: 2_000 }));
    expect(changes).toHaveProperty('thinking', undefined);
    expect(changes).toMatchObject({ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } });
    expect(bind(running({ type: 'adaptive' }))).not.toHaveProperty('thinking');
  });

  test('a turn of nothing but a foreign thought is left out', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
      { role: 'user', content: 'b' },
    ];
    expect(bind({ messages })).toEqual({ messages: [messages[0], messages[2]] });
  });
});

test('OpenAI: where reasoning is left out, what followed it is told without the ids by which it is known', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
  const body = {
    input: [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'x' },
      { ...call, id: 'fc_1' },
    ],
  };
  const target = { protocol: 'openai-responses', place: HERE, upstreamModel: 'm', dropsAll: true } as const;
  expect(bindRequest(body, WRAPPER, { ...target, placeOf: () => undefined }).changes).toEqual({
    input: [call],
  });
});

test('Google: from the third generation on a call that lost its signature says that it has none', () => {
  const target = { protocol: 'gemini', place: HERE, upstreamModel: 'gemini-3-pro', dropsAll: true } as const;
  expect(
    bindRequest(BODIES.gemini('x'), WRAPPER, { ...target, placeOf: () => undefined }).changes,
  ).toMatchObject({
    contents: [{}, { parts: [{ thoughtSignature: 'skip_thought_signature_validator' }] }],
  });
});

test('a wrapper of a place opens what that place made, and a closed one opens nothing', () => {
  const state: ReasoningState = { format: 'gemini', kind: 'signed', data: 'x' };
  const text = bindStates(WRAPPER, HERE).wrap([state]);
  expect(bindStates(WRAPPER, HERE).unwrap(text)).toEqual([state]);
  expect(bindStates(WRAPPER, THERE).unwrap(text)).toEqual([]);
  expect(bindStates(WRAPPER, HERE).unwrap('OWN=')).toBeNull();
  expect(withoutStates(bindStates(WRAPPER, HERE)).unwrap(text)).toEqual([]);
});

const EVENTS: Record<ClientProtocol, readonly unknown[]> = {
  'openai-chat': [
    { choices: [{ delta: { tool_calls: [{ extra_content: { google: { thought_signature: 'one' } } }] } }] },
    { choices: [{ message: { tool_calls: [{ extra_content: { google: { thought_signature: 'two' } } }] } }] },
  ],
  'openai-responses': [
    { type: 'response.output_item.added', item: { type: 'reasoning', encrypted_content: 'half' } },
    { type: 'response.output_item.done', item: { type: 'reasoning', encrypted_content: 'one' } },
    { object: 'response', output: [{ type: 'reasoning', encrypted_content: 'two' }] },
  ],
  'anthropic-messages': [
    { type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking', data: 'one' } },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: 't' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: 'wo' } },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ text: '', thoughtSignature: 'one' }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: {}, thoughtSignature: 'two' }] } }] },
  ],
};

test.each(CLIENT_PROTOCOLS)('%s: the states of an answer are collected', (protocol) => {
  const collector = CODECS[protocol].states.collector();
  for (const event of EVENTS[protocol]) collector.read(event);
  expect(collector.states()).toEqual(['one', 'two']);
});

test.each([
  ['messages.1.content.0: Invalid `signature` in `thinking` block', true],
  [
    'The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    true,
  ],
  ['{"error":{"code":"invalid_encrypted_content","message":"x"}}', true],
  ['Corrupted thought signature.', true],
  ['Function call is missing a thought_signature in functionCall parts.', true],
  ['`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified', true],
  ["Invalid 'user': string too long", false],
  ['messages: text content blocks must be non-empty', false],
  ['The request signature we calculated does not match', false],
  ['This model does not support thinking', false],
])('"%s" is about reasoning: %s', (words, expected) => {
  expect(refusesStates(words)).toBe(expected);
});

test('a mark is found wherever it stands, and nowhere else', () => {
  const texts = fc.array(fc.constantFrom('t', 'g', '1', '.', 'tg1', '1.', 'é'), { maxLength: 40 });
  fc.assert(
    fc.property(texts, (parts) => {
      const bytes = Buffer.from(parts.join(''));
      expect(holdsMark(bytes, 'tg1.')).toBe(bytes.includes('tg1.'));
    }),
  );
});

test('a mark is found behind so many of its ends that they are not looked at one by one', () => {
  const ends = '1.'.repeat(2_000_000);
  expect(holdsMark(Buffer.from(`${ends}tg1.`), 'tg1.')).toBe(true);
  expect(holdsMark(Buffer.from(`t${ends}`), 'tg1.')).toBe(false);
});

test.each([998, 999, 1_000, 1_001, 1_002])('a mark is found right behind %d of its ends', (count) => {
  expect(holdsMark(Buffer.from(`${'1.'.repeat(count)}tg1.`), 'tg1.')).toBe(true);
});

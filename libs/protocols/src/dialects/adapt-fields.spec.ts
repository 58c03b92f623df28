import type { ClientProtocol } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';
import { adaptFields } from './adapt-fields.ts';
import type { ExplicitDialect } from './dialect.ts';

const adapt = (protocol: ClientProtocol, body: JsonObject, dialect: ExplicitDialect, strict = false) =>
  adaptFields({ protocol, body, model: 'm', strict }, dialect);

test.each<[what: string, ClientProtocol, JsonObject, ExplicitDialect, changes: object, dropped: string[]]>([
  [
    'fields that are refused',
    'openai-chat',
    { seed: 1 },
    { refused_fields: ['seed', 'n'] },
    { seed: undefined },
    ['seed'],
  ],
  [
    'one of two values to sample by',
    'anthropic-messages',
    { temperature: 0.3, top_p: 0.5 },
    { sampling: 'temperature_or_top_p' },
    { top_p: undefined },
    ['top_p'],
  ],
  [
    'the one that says nothing, without a word',
    'openai-chat',
    { temperature: 1, top_p: 0.5 },
    { sampling: 'temperature_or_top_p' },
    { temperature: undefined },
    [],
  ],
  ['one value alone', 'openai-chat', { top_p: 0.5 }, { sampling: 'temperature_or_top_p' }, {}, []],
  [
    'all values to sample by',
    'openai-responses',
    { temperature: 0, top_p: 1 },
    { sampling: 'none' },
    { temperature: undefined, top_p: undefined },
    ['temperature'],
  ],
  [
    'the name of the limit, and the one that is right already',
    'openai-chat',
    { max_tokens: 5, max_completion_tokens: 6 },
    { limit_field: 'max_tokens' },
    { max_tokens: 5, max_completion_tokens: undefined },
    [],
  ],
  [
    'nothing of another format',
    'gemini',
    { max_tokens: 5 },
    { limit_field: 'max_completion_tokens' },
    {},
    [],
  ],
  [
    'stop sequences',
    'openai-chat',
    { stop: ['a', 'b', 'c'] },
    { max_stops: 2 },
    { stop: ['a', 'b'] },
    ['stop'],
  ],
  [
    'reasoning of earlier turns',
    'openai-chat',
    { messages: [{ role: 'assistant', content: 'a', reasoning_content: 'b' }, { role: 'user' }] },
    { reasoning_echo: false },
    { messages: [{ role: 'assistant', content: 'a' }, { role: 'user' }] },
    [],
  ],
])('%s of a request that goes on in its format', (_what, protocol, body, dialect, changes, dropped) => {
  expect(adapt(protocol, body, dialect)).toMatchObject({ ok: true, changes, dropped });
  expect(adapt(protocol, body, {})).toMatchObject({ changes: {}, dropped: [], emulated: [] });
});

test('a caller who is strict is told what would be left out', () => {
  const refused = adapt('openai-chat', { seed: 1 }, { refused_fields: ['seed'] }, true);
  expect(refused).toMatchObject({ ok: false, error: { kind: 'unsupported', param: 'seed' } });
});

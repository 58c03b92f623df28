import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { createJsonArraySplitter, createSseSplitter, keepAlive } from '../index.ts';

test.each(CLIENT_PROTOCOLS)('%s: nothing is sent into an answer that is no stream', (protocol) => {
  expect(keepAlive(protocol, 'none')).toHaveLength(0);
});

test.each([
  ['openai-chat', undefined, undefined],
  ['openai-responses', undefined, undefined],
  ['anthropic-messages', 'ping', '{"type":"ping"}'],
  ['gemini', undefined, undefined],
] as const)('%s: a keep-alive between two events is a record of its own', (protocol, event, data) => {
  const splitter = createSseSplitter();
  const around = Buffer.from('data: {"a":1}\n\n');
  const bytes = keepAlive(protocol, 'sse');
  expect(bytes.length).toBeGreaterThan(0);
  expect(splitter.push(Buffer.concat([around, bytes, around]))).toEqual([
    { raw: around, event: undefined, data: '{"a":1}' },
    { raw: bytes, event, data },
    { raw: around, event: undefined, data: '{"a":1}' },
  ]);
});

test('Gemini clients are sent no comment', () => {
  expect(keepAlive('gemini', 'sse').toString()).not.toContain(':');
});

test('a keep-alive between two elements of an array leaves it valid', () => {
  const bytes = Buffer.concat([
    Buffer.from('[{"a":1},'),
    keepAlive('gemini', 'json-array'),
    Buffer.from('{"a":2}]'),
  ]);
  expect(JSON.parse(bytes.toString())).toEqual([{ a: 1 }, { a: 2 }]);
  const elements = createJsonArraySplitter()
    .push(bytes)
    .flatMap(({ element }) => element ?? []);
  expect(elements).toEqual(['{"a":1}', '{"a":2}']);
});

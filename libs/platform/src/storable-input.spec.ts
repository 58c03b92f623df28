import fc from 'fast-check';
import Fastify from 'fastify';
import { findInputFault } from './storable-input.ts';

const deep = (levels: number): unknown => (levels === 0 ? 'a' : [deep(levels - 1)]);

test.each<[unknown, string]>([
  ['a\0', ''],
  [{ name: 'a\ud800b' }, 'name'],
  [{ list: [{ name: '\udc00' }] }, 'list.0.name'],
  [{ inner: { 'a\0': 1 } }, 'inner'],
  [{ inner: deep(100) }, 'inner'],
])('%j is refused, and told where', (input, path) => {
  expect(findInputFault(input)).toMatchObject({ path });
});

test('the query of a request is looked at, though its objects are of a kind of their own', async () => {
  const fastify = Fastify();
  fastify.get('/', (request, reply) => reply.send(findInputFault(request.query)));
  expect((await fastify.inject('/?find=a%00')).json()).toMatchObject({ path: 'find' });
});

test('what is nested a million levels deep is refused, not walked', () => {
  let nested: unknown = 1;
  for (let level = 0; level < 1_000_000; level += 1) nested = [nested];
  expect(findInputFault(nested)?.message).toMatch(/64 levels/);
});

test('every text that can be written as UTF-8 passes, and what JSON holds of such texts', () => {
  const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0'));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), text, (value, more) => {
      if (JSON.stringify(value).includes('\\u0000')) return;
      expect(findInputFault([value, more])).toBeUndefined();
    }),
  );
});

test('what has a class of its own, such as a stream, is left alone', () => {
  expect(findInputFault(Buffer.from('a\0'))).toBeUndefined();
  expect(findInputFault(undefined)).toBeUndefined();
});

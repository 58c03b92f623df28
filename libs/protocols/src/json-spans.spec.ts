import fc from 'fast-check';
import { applyEdits, findMembers, replaceAt, withoutMembers } from './json-spans.ts';

const text = (bytes: Buffer) => bytes.toString('utf8');
const parsed = (bytes: Buffer) => JSON.parse(text(bytes)) as Record<string, unknown>;
const put = (json: string, path: string[], value: string) =>
  text(applyEdits(Buffer.from(json), replaceAt(Buffer.from(json), path, value)));

const space = fc.array(fc.constantFrom(' ', '\n', '\r', '\t'), { maxLength: 2 }).map((list) => list.join(''));
const plainKey = fc.oneof(fc.constantFrom('model', 'a', 'usage', ''), fc.string({ unit: 'binary' }));
/** A key's JSON text, in some runs with every character escaped. */
const writtenKey = fc.tuple(plainKey, fc.boolean()).map(([key, escaped]) => {
  const units = [...Array(key.length).keys()].map((at) => key.charCodeAt(at).toString(16).padStart(4, '0'));
  return escaped ? `"${units.map((unit) => `\\u${unit}`).join('')}"` : JSON.stringify(key);
});
const writtenValue = fc
  .tuple(fc.jsonValue(), fc.nat({ max: 2 }))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

/** The text of any JSON object, in any layout, duplicate keys included. */
const objectText = fc.array(fc.tuple(space, writtenKey, space, space, writtenValue, space)).chain((members) =>
  space.map((inner) => {
    const list = members.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`);
    return `${inner}{${list.length === 0 ? inner : list.join(',')}}${inner}`;
  }),
);
const objectBytes = objectText.map((json) => Buffer.from(json));

test('the members of an object are those that parsing finds', () => {
  fc.assert(
    fc.property(objectBytes, (json) => {
      const members = findMembers(json) ?? [];
      const values = members.map(({ key, valueStart, valueEnd }) => [
        key,
        JSON.parse(json.toString('utf8', valueStart, valueEnd)) as unknown,
      ]);
      const found = JSON.parse(JSON.stringify(Object.fromEntries(values))) as object;
      expect(found).toEqual(JSON.parse(JSON.stringify(parsed(json))));
      for (const { keyStart, key, valueStart } of members) {
        expect(json.toString('utf8', keyStart, valueStart).trimEnd()).toMatch(/^".*"\s*:$/s);
        expect(Object.hasOwn(parsed(json), key)).toBe(true);
      }
    }),
  );
});

test('replacing a member gives what setting it in the parsed object gives', () => {
  fc.assert(
    fc.property(objectBytes, plainKey, fc.jsonValue(), (json, key, value) => {
      const before = parsed(json);
      const edited = parsed(applyEdits(json, replaceAt(json, [key], JSON.stringify(value))));
      const after = Object.entries(before).map(([name, old]) => [name, name === key ? value : old]);
      expect(JSON.stringify(edited)).toBe(JSON.stringify(Object.fromEntries(after)));
    }),
  );
});

test('replacing a member of a member changes nothing else', () => {
  fc.assert(
    fc.property(fc.dictionary(plainKey, fc.jsonValue()), plainKey, fc.jsonValue(), (object, key, value) => {
      const outer = JSON.parse(JSON.stringify({ before: [object], object, model: 1 })) as Record<
        string,
        object
      >;
      const inner = outer['object'] ?? {};
      const expected = Object.hasOwn(inner, key)
        ? { ...outer, object: Object.fromEntries([...Object.entries(inner), [key, value]]) }
        : outer;
      expect(put(JSON.stringify(outer), ['object', key], JSON.stringify(value))).toBe(
        JSON.stringify(expected),
      );
    }),
  );
});

test('taking members out gives what deleting them from the parsed object gives', () => {
  fc.assert(
    fc.property(objectBytes, fc.array(plainKey, { maxLength: 4 }), fc.nat(15), (json, others, some) => {
      // Those that are not there, and some of those that are.
      const keys = [...others, ...Object.keys(parsed(json)).filter((_, index) => (some >> (index % 4)) & 1)];
      const without = Object.entries(parsed(json)).filter(([name]) => !keys.includes(name));
      expect(Object.entries(parsed(withoutMembers(json, keys)))).toEqual(without);
      if (!keys.some((key) => Object.hasOwn(parsed(json), key)))
        expect(withoutMembers(json, keys)).toBe(json);
    }),
  );
});

test('edits are made where they stand, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string(), fc.string())), (pieces) => {
      const json = Buffer.from(pieces.map(([kept, old]) => kept + old).join(''));
      let at = 0;
      const edits = pieces.map(([kept, old, bytes]) => {
        const start = at + Buffer.byteLength(kept);
        at = start + Buffer.byteLength(old);
        return { start, end: at, bytes };
      });
      const distinct = edits.filter(({ start, end }) => end > start);
      const expected = pieces.map(([kept, old, bytes]) => kept + (old === '' ? '' : bytes)).join('');
      expect(text(applyEdits(json, distinct.reverse()))).toBe(expected);
    }),
  );
});

test('without an edit the same bytes come back', () => {
  const json = Buffer.from('{}');
  expect(applyEdits(json, [])).toBe(json);
});

test.each([
  ['a duplicate key, everywhere it stands', '{"a":1,"a":2}', ['a'], '{"a":0,"a":0}'],
  ['an escaped key', '{"\\u0061":1,"\\u0062":1}', ['a'], '{"\\u0061":0,"\\u0062":1}'],
  ['a key in white space', ' {\n\t"a" :\r 1 }\n', ['a'], ' {\n\t"a" :\r 0 }\n'],
  ['a text with quotes and braces', '{"a":"\\"},{","b":1}', ['a'], '{"a":0,"b":1}'],
  ['a text that ends in a backslash', '{"a":"\\\\","b":1}', ['a'], '{"a":0,"b":1}'],
  ['a text that names the key', '{"b":"\\"a\\":1","a":1}', ['a'], '{"b":"\\"a\\":1","a":0}'],
  ['a list', '{"a":[{"a":"]"},[]],"b":1}', ['a'], '{"a":0,"b":1}'],
  ['an inner key', '{"a":{"b":1},"b":1}', ['a', 'b'], '{"a":{"b":0},"b":1}'],
  ['no inner key of a text', '{"a":"b"}', ['a', 'b'], '{"a":"b"}'],
  ['no key inside another', '{"b":{"a":1}}', ['a'], '{"b":{"a":1}}'],
])('replaces %s', (_, before, path, after) => {
  expect(put(before, path, '0')).toBe(after);
});

test.each([
  '',
  '  ',
  'null',
  '[1]',
  '"a"',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":"',
  '{"a":[',
  '{"a":1,}',
  '{"a" 1}',
  '{"a":}',
  '{a:1}',
  '{"\\x":1}',
])('%j holds no object', (json) => {
  expect(findMembers(Buffer.from(json))).toBeUndefined();
  expect(put(json, ['a'], '0')).toBe(json);
});

test('bytes that are no JSON never throw', () => {
  const broken = fc.array(
    fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'a', '\\u', ' ', '1', '{"a":'),
  );
  fc.assert(
    fc.property(broken, (parts) => {
      const json = Buffer.from(`{${parts.join('')}`);
      expect(() => [
        findMembers(json),
        replaceAt(json, ['a', 'a'], '0'),
        withoutMembers(json, ['a']),
      ]).not.toThrow();
    }),
  );
});

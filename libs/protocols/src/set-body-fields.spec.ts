import { overrideBodyFields, setBodyFields } from './upstream-request.ts';

test.each<[string, object, string]>([
  ['{"a":1}', {}, '{"a":1}'],
  ['{"a":1}', { a: 2 }, '{"a":2}'],
  ['{ "a" : 1.0 ,"b":12345678901234567890}', { a: null }, '{ "a" : null ,"b":12345678901234567890}'],
  ['{"a":1}', { b: [1], 'c"d': 'x' }, '{"b":[1],"c\\"d":"x","a":1}'],
  ['{}', { a: 1 }, '{"a":1}'],
  [' { } ', { a: { b: true } }, ' {"a":{"b":true} } '],
  ['{"a":1,"a":2}', { a: 3 }, '{"a":3,"a":3}'],
  ['{"b":{"a":1}}', { a: 2 }, '{"a":2,"b":{"a":1}}'],
  ['[1]', { a: 1 }, '[1]'],
])('%s with %j set is %s', (body, fields, expected) => {
  expect(setBodyFields(Buffer.from(body), { ...fields }).toString()).toBe(expected);
});

test('a body in which nothing is set is the same bytes', () => {
  const body = Buffer.from('{"a":1}');
  expect(setBodyFields(body, {})).toBe(body);
});

test.each<[string, object, string]>([
  ['{"a":1,"b":2}', { a: null }, '{"b":2}'],
  ['{"a":1,"b":2}', { a: null, b: 3, c: 4 }, '{"c":4,"b":3}'],
  ['{"a":1,"a":2}', { a: null }, '{}'],
  ['{"b":{"a":1}}', { a: null }, '{"b":{"a":1}}'],
])('%s with %j in its place is %s', (body, fields, expected) => {
  expect(overrideBodyFields(Buffer.from(body), { ...fields }).toString()).toBe(expected);
});

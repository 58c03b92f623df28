import fc from 'fast-check';
import { isObject, type JsonObject } from '../json.ts';
import { closedSchema } from './closed-schema.ts';

test.each<[what: string, schema: JsonObject, closed: JsonObject]>([
  [
    'a closed one stays',
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  ],
  [
    'objects are closed all the way down',
    { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: {} } } } },
    {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
      },
      additionalProperties: false,
    },
  ],
  [
    'an open one is closed',
    { type: 'object', properties: {}, additionalProperties: true },
    { type: 'object', properties: {}, additionalProperties: false },
  ],
  [
    'bounds go into the description',
    { type: 'integer', minimum: 1, maximum: 5, description: 'How many' },
    { type: 'integer', description: 'How many\n\nMust hold: minimum 1, maximum 5.' },
  ],
  [
    'a property keeps the name of a keyword',
    { type: 'object', properties: { minimum: { type: 'number', minimum: 0 } } },
    {
      type: 'object',
      properties: { minimum: { type: 'number', description: 'Must hold: minimum 0.' } },
      additionalProperties: false,
    },
  ],
  [
    'formats that are known stay, others are told',
    {
      anyOf: [
        { type: 'string', format: 'email' },
        { type: 'string', format: 'byte' },
      ],
    },
    {
      anyOf: [
        { type: 'string', format: 'email' },
        { type: 'string', description: 'Must hold: format "byte".' },
      ],
    },
  ],
  [
    'one of several becomes any of them',
    { oneOf: [{ type: 'string', minLength: 1 }] },
    { anyOf: [{ type: 'string', description: 'Must hold: minLength 1.' }] },
  ],
  [
    'several types are alternatives',
    { type: ['string', 'null'], maxLength: 3, description: 'Name' },
    {
      description: 'Name',
      anyOf: [{ type: 'string', description: 'Must hold: maxLength 3.' }, { type: 'null' }],
    },
  ],
  [
    'null by the word of Gemini',
    { type: 'integer', nullable: true, minimum: 0 },
    { anyOf: [{ type: 'integer', description: 'Must hold: minimum 0.' }, { type: 'null' }] },
  ],
  [
    'definitions are closed too',
    { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: {} } } },
    { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: {}, additionalProperties: false } } },
  ],
  [
    'a list of at least one stays, of two is told',
    { type: 'object', properties: { a: { type: 'array', minItems: 1 }, b: { type: 'array', minItems: 2 } } },
    {
      type: 'object',
      properties: {
        a: { type: 'array', minItems: 1 },
        b: { type: 'array', description: 'Must hold: minItems 2.' },
      },
      additionalProperties: false,
    },
  ],
  [
    'what other properties may be is told',
    { type: 'object', additionalProperties: { type: 'string' } },
    {
      type: 'object',
      description: 'Must hold: additionalProperties {"type":"string"}.',
      additionalProperties: false,
    },
  ],
])('%s', (_what, schema, closed) => {
  expect(closedSchema(schema)).toEqual({
    schema: closed,
    isChanged: JSON.stringify(schema) !== JSON.stringify(closed),
  });
});

const keywords = {
  description: fc.string(),
  minimum: fc.integer(),
  pattern: fc.string(),
  minItems: fc.nat(3),
  format: fc.constantFrom('email', 'byte'),
  enum: fc.array(fc.string(), { minLength: 1 }),
  nullable: fc.boolean(),
  default: fc.string(),
};
const names = fc.constantFrom('a', 'minimum', 'properties', '$ref', 'type', '__proto__');
const { anySchema } = fc.letrec<{ anySchema: JsonObject }>((tie) => ({
  anySchema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(
      { ...keywords, type: fc.constantFrom('string', 'integer', ['string', 'null']) },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        description: fc.string(),
        minProperties: fc.nat(),
        properties: fc.dictionary(names, tie('anySchema')),
        additionalProperties: fc.oneof(fc.boolean(), tie('anySchema')),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('array'), items: tie('anySchema'), minItems: fc.nat(3) },
      { requiredKeys: ['type'] },
    ),
    fc.record({ anyOf: fc.array(tie('anySchema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('anySchema'), { minLength: 1, maxLength: 3 }) }),
  ),
}));

const TAKEN = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'required', 'properties', 'items', 'anyOf', 'allOf'],
  ...['format', 'minItems', 'additionalProperties', '$ref', '$defs', 'definitions'],
]);

/** Every place of a schema where a decoder would refuse it. */
function faultsOf(schema: unknown, at = ''): string[] {
  if (!isObject(schema)) return [];
  const inner = [schema['properties'], schema['$defs'], schema['definitions']].flatMap((named) =>
    isObject(named) ? Object.entries(named) : [],
  );
  const lists = [schema['anyOf'], schema['allOf']].flatMap((list) =>
    Array.isArray(list) ? list.entries().toArray() : [],
  );
  return [
    ...Object.keys(schema).flatMap((keyword) => (TAKEN.has(keyword) ? [] : [`${at}/${keyword}`])),
    ...(schema['type'] === 'object' && schema['additionalProperties'] !== false ? [`${at} is open`] : []),
    ...(Array.isArray(schema['type']) ? [`${at} has several types`] : []),
    ...[...inner, ...lists].flatMap(([name, each]) => faultsOf(each, `${at}/${name}`)),
    ...faultsOf(schema['items'], `${at}/items`),
  ];
}

test('no schema keeps what is refused, and a closed one stays as it is', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const once = closedSchema(schema);
      expect(faultsOf(once.schema)).toEqual([]);
      expect(closedSchema(once.schema)).toEqual({ schema: once.schema, isChanged: false });
    }),
  );
});

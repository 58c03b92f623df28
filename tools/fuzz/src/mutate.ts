import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Values that no object in memory can hold as such: they are put into the text. */
const RAW: readonly string[] = [
  '1e999',
  '-1e999',
  '-0',
  '9007199254740993',
  '1e-400',
  '{"type":"text","type":"tool_use","text":"a","text":1}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"properties":'.repeat(20_000)}{}${'}'.repeat(20_000)}`,
  `"${'x'.repeat(100_000)}"`,
  `[${'{},'.repeat(3_000)}{}]`,
  '"\\ud83d"',
  '"\\udc00\\ud800 \\u0000 \\u2028"',
];
const mark = (index: number): string => `@raw ${index}@`;

/** Words that mean something to the code, or to JavaScript, at the wrong place. */
const WORDS: readonly string[] = [
  '',
  '[DONE]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'type',
  'text',
  'tool_use',
  'thinking',
  'function',
  'custom',
  'data:image/png;base64,AAAA',
  'data:;base64,',
  'tg1.e30.x',
  '\ud800',
  'é世界🚀',
  'a\r\n\r\ndata: b\n\n',
  '{"a":1}',
  '{"a":',
  'null',
  'x'.repeat(300),
];

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, 1e21, 4_294_967_296, {}, []),
  fc.constantFrom(...WORDS),
  fc.nat(RAW.length - 1).map(mark),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.integer(),
);

export const anyJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...WORDS), leaf), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  },
);

export interface Mutation {
  readonly kind: 'delete' | 'duplicate' | 'replace' | 'wrap' | 'rename' | 'move' | 'add';
  readonly at: number;
  readonly from: number;
  readonly value: Json;
  readonly word: string;
}

export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record<Mutation>({
    kind: fc.constantFrom('delete', 'duplicate', 'replace', 'wrap', 'rename', 'move', 'add'),
    at: fc.nat(),
    from: fc.nat(),
    value: anyJson,
    word: fc.constantFrom(...WORDS),
  }),
  { maxLength: 5 },
);

/** Bytes that a report of a failure shows as text. */
export const readable = (bytes: Buffer): Buffer =>
  Object.assign(bytes, {
    [fc.toStringMethod]: () => `Buffer.from(${JSON.stringify(bytes.toString('utf8'))})`,
  });

interface Slot {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string;
}

/** Every place below a value that holds another one. */
function listSlots(root: Json): Slot[] {
  const slots: Slot[] = [];
  const queue: Json[] = [root];
  for (const holder of queue) {
    if (typeof holder !== 'object' || holder === null) continue;
    for (const [key, value] of Object.entries(holder)) {
      slots.push({ holder, key });
      queue.push(value);
    }
  }
  return slots;
}

const copyJson = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Puts a member there under any name, `__proto__` too, as JSON.parse would. */
const put = (holder: Slot['holder'], key: string, value: Json): void =>
  void Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

const get = ({ holder, key }: Slot): Json =>
  (Object.getOwnPropertyDescriptor(holder, key)?.value ?? null) as Json;

function apply(root: Json, { kind, at, from, value, word }: Mutation): void {
  const slots = listSlots(root);
  const slot = slots[at % Math.max(1, slots.length)];
  const other = slots[from % Math.max(1, slots.length)];
  if (!slot || !other) return;
  const { holder, key } = slot;
  switch (kind) {
    case 'delete':
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 'duplicate':
      if (Array.isArray(holder)) holder.splice(Number(key), 0, copyJson(get(slot)));
      else put(holder, `${key}_2`, copyJson(get(slot)));
      return;
    case 'replace':
      return put(holder, key, value);
    case 'wrap':
      return put(holder, key, at % 2 === 0 ? [get(slot)] : { [word || 'type']: get(slot) });
    case 'rename':
      if (Array.isArray(holder)) return;
      put(holder, word, get(slot));
      delete holder[key];
      return;
    case 'move':
      return put(holder, key, copyJson(get(other)));
    case 'add':
      if (Array.isArray(holder)) holder.push(value);
      else put(holder, word, value);
  }
}

/** The JSON text of a value after these changes. */
export function mutated(value: Json, changes: readonly Mutation[]): string {
  const root = { root: copyJson(value) };
  for (const change of changes) {
    // Changes may double what is there: past this size the rest of them is left out.
    if (listSlots(root).length > 5_000) break;
    apply(root, change);
  }
  return toText(root.root ?? null);
}

export const toText = (value: Json): string =>
  (JSON.stringify(value) ?? 'null').replace(/"@raw (\d+)@"/g, (_, index: string) => RAW[Number(index)] ?? '');

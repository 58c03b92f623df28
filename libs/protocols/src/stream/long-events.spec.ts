import type { ClientProtocol } from '@tollgate/vocabulary';
import {
  answerContext,
  createJsonArraySplitter,
  createResponseRewriter,
  createSseSplitter,
  createStateWrapper,
  createStreamConverter,
  PLAIN_NAMES,
} from '../index.ts';

const MIB = 1024 * 1024;
const PIECE = 16 * 1024;

/** Bytes that are copied into joined buffers, and bytes that are searched, while something runs. */
function workOf(run: () => void): { copied: number; searched: number } {
  const work = { copied: 0, searched: 0 };
  const { concat } = Buffer;
  const { indexOf, lastIndexOf, includes } = Buffer.prototype;
  const counting = <Rest extends unknown[], Result>(search: (...rest: Rest) => Result) =>
    function (this: Buffer, ...rest: Rest): Result {
      const found = search.apply(this, rest);
      const from = typeof rest[1] === 'number' ? rest[1] : 0;
      work.searched += typeof found === 'number' && found >= 0 ? found - from + 1 : this.length - from;
      return found;
    };
  Buffer.concat = (list, length) => {
    const joined = concat(list, length);
    work.copied += joined.length;
    return joined;
  };
  Object.assign(Buffer.prototype, {
    indexOf: counting(indexOf),
    includes: counting(includes),
    lastIndexOf(this: Buffer, ...rest: Parameters<typeof lastIndexOf>) {
      work.searched += this.length;
      return lastIndexOf.apply(this, rest);
    },
  });
  try {
    run();
  } finally {
    Buffer.concat = concat;
    Object.assign(Buffer.prototype, { indexOf, lastIndexOf, includes });
  }
  return work;
}

function pieces(bytes: Buffer, size = PIECE): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

const picture = (bytes: number, lineEnd = '\n') =>
  Buffer.from(
    `event: image_generation.completed${lineEnd}data: {"type":"image_generation.completed","model":"m","b64_json":"${'A'.repeat(bytes)}"}${lineEnd}${lineEnd}`,
  );
const element = (bytes: number) =>
  Buffer.from(
    `[{"modelVersion":"m","candidates":[{"content":{"parts":[{"inlineData":{"data":"${'A'.repeat(bytes)}"}}]}}]}]`,
  );

const converterFrom = (to: ClientProtocol, framing: 'sse' | 'json-array') => {
  const request = {
    model: 'm',
    states: createStateWrapper(Buffer.alloc(32, 7), []),
    framing: 'sse' as const,
    includeUsage: false,
  };
  return createStreamConverter(
    { from: 'openai-chat', to, names: PLAIN_NAMES, answer: answerContext(request) },
    framing,
  );
};

interface Reader {
  push(chunk: Buffer): unknown;
  held(): number;
}

const READERS: [string, () => Reader, (bytes: number) => Buffer][] = [
  ['events that are read', () => createSseSplitter(), picture],
  ['events with CRLF that are read', () => createSseSplitter(), (bytes) => picture(bytes, '\r\n')],
  ['events with CR that are read', () => createSseSplitter(), (bytes) => picture(bytes, '\r')],
  ['events that pass', () => createResponseRewriter('openai-responses', { stream: 'sse' }), picture],
  [
    'events that are rewritten',
    () => createResponseRewriter('openai-responses', { stream: 'sse', model: 'n' }),
    picture,
  ],
  ['events that are converted', () => converterFrom('openai-responses', 'sse'), picture],
  ['elements that are read', () => createJsonArraySplitter(), element],
  ['elements that pass', () => createResponseRewriter('gemini', { stream: 'json-array' }), element],
  [
    'elements that are rewritten',
    () => createResponseRewriter('gemini', { stream: 'json-array', model: 'n' }),
    element,
  ],
  ['elements that are converted', () => converterFrom('gemini', 'json-array'), element],
];

test.each(READERS)('%s cost the same for every byte, however long one is', (_, create, bytesOf) => {
  const bytes = bytesOf(8 * MIB);
  const work = workOf(() => {
    const reader = create();
    for (const piece of pieces(bytes)) reader.push(piece);
  });
  // Joined once, and put together once more where the model's name in it is changed; looked at a few times.
  expect(work.copied).toBeLessThan(3.5 * bytes.length);
  expect(work.searched).toBeLessThan(8 * bytes.length);
});

test.each(READERS)('of %s it is known how much is held back', (_, create, bytesOf) => {
  const bytes = bytesOf(MIB);
  const reader = create();
  const parts = pieces(bytes.subarray(0, MIB));
  for (const [index, part] of parts.entries()) {
    reader.push(part);
    // What stands before the element of an array is not held.
    expect(reader.held()).toBeGreaterThanOrEqual((index + 1) * PIECE - 1);
    expect(reader.held()).toBeLessThanOrEqual((index + 1) * PIECE);
  }
  reader.push(bytes.subarray(MIB));
  reader.push(Buffer.from('x'));
  expect(reader.held()).toBeLessThanOrEqual(1);
});

test.each([1, 2, 3, 5])('backslashes before quotes are counted over pieces of %i bytes', (size) => {
  const texts = ['', '\\', '\\\\', '"', '\\"', '"\\', '}{', '\\\\\\"}'];
  const values = texts.map((text) => ({ [text]: text, in: [{ text }] }));
  const splitter = createJsonArraySplitter();
  const found = pieces(Buffer.from(JSON.stringify(values)), size).flatMap((piece) => splitter.push(piece));
  expect(found.flatMap((piece) => piece.element ?? []).map((text) => JSON.parse(text) as unknown)).toEqual(
    values,
  );
});

import { createStreamConverter } from '@tollgate/protocols';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { readJson, toPlan, upstreamStream } from './streams.ts';

const TEXTS = 20;

test.each(CLIENT_PROTOCOLS)('every measured chunk of %s is one event with one text', (protocol) => {
  const { chunks } = upstreamStream(protocol, TEXTS);
  expect(chunks).toHaveLength(TEXTS);
  for (const chunk of chunks) {
    expect(chunk.toString('utf8').match(/^data: /gm)).toHaveLength(1);
    expect(JSON.parse(readJson(chunk))).toEqual(expect.any(Object));
  }
});

test.each(
  CLIENT_PROTOCOLS.flatMap((to) =>
    CLIENT_PROTOCOLS.filter((from) => from !== to).map((from) => [to, from] as const),
  ),
)('every measured chunk of %s becomes one for %s, and the stream comes to its end', (to, from) => {
  const { before, chunks, after } = upstreamStream(to, TEXTS);
  const converter = createStreamConverter(toPlan(from, to), 'sse');
  converter.push(before);
  const converted = chunks.map((chunk) => converter.push(chunk)?.toString('utf8') ?? '');
  expect(converted.filter((text) => !/^(event: .*\n)?data: .*(\r?\n){2}$/.test(text))).toEqual([]);
  converter.push(after);
  converter.end();
  expect(converter.failed?.()).toBe(false);
});

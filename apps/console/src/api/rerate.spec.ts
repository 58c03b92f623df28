import fc from 'fast-check';
import { readLines } from './rerate.ts';

const read = async (pieces: readonly Uint8Array[]): Promise<string[]> => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
      controller.close();
    },
  });
  const lines: string[] = [];
  for await (const line of readLines(body)) lines.push(line);
  return lines;
};

test('wherever a text is cut, its lines come whole', async () => {
  const text = '{"a":"ü"}\n{"b":"模型"}\n{"c":3}';
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
      const ends = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b);
      const pieces = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
      expect(await read(pieces)).toEqual(text.split('\n'));
    }),
  );
});

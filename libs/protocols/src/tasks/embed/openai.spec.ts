import { openaiEmbed } from './openai.ts';

const VECTOR = [0.5, -1, 0.25, 2];
const REQUEST = { inputs: [{ text: 'a' }, { text: 'b' }], encoding: 'float' } as const;
const readAnswer = (places: readonly (number | undefined)[]) =>
  openaiEmbed.readAnswer({ data: places.map((index) => ({ index, embedding: VECTOR })) }, REQUEST);

test.each([[[1, 0]], [[undefined, undefined]], [[undefined, 1]]])('vectors at %j are all there', (places) => {
  expect(readAnswer(places)).toEqual({ vectors: [VECTOR, VECTOR] });
});

test.each([[[0, 0]], [[0]], [[0, 1, 2]], [[0, -1]], [[0, 1.5]], [[0, 1e21]]])(
  'an answer with vectors at %j is unreadable',
  (places) => {
    expect(readAnswer(places)).toBeUndefined();
  },
);

test('a vector at a place far behind the last input costs no time', () => {
  const { user: before } = process.cpuUsage();
  expect(readAnswer([0, 200_000_000])).toBeUndefined();
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000);
});

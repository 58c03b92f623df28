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

test('no list is made as long as the place of a vector far behind the last input', () => {
  expect(readAnswer([0, 2 ** 32 - 2])).toBeUndefined();
});

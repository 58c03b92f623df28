import { countPlaces, padPlaces } from './places.ts';

test('what stands behind amounts makes their places as many as those of the longest', () => {
  const shown = ['$1,234.50', '-$0.0021781', '<$0.0001', '–'];
  const places = Math.max(...shown.map(countPlaces));
  expect(shown.map((amount) => padPlaces(amount, places))).toEqual(['00000', '', '000', '0000000']);
});

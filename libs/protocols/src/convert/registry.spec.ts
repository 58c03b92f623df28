import { PROTOCOLS } from '@tollgate/vocabulary';
import { CODECS } from '../registry.ts';
import { FEATURES } from './features.ts';
import { CONVERSIONS } from './registry.ts';

test('the two registries hold every wire format and nothing else', () => {
  expect(Object.keys(CODECS).toSorted()).toEqual([...PROTOCOLS].toSorted());
  expect(Object.keys(CONVERSIONS).toSorted()).toEqual([...PROTOCOLS].toSorted());
});

describe.each(PROTOCOLS)('%s', (protocol) => {
  const conversion = CONVERSIONS[protocol];

  test('says of every feature how it serves it', () => {
    expect(Object.keys(conversion.support).toSorted()).toEqual(Object.keys(FEATURES).toSorted());
    expect(
      Object.values(conversion.support).filter(
        (support) => !['carried', 'emulated', 'dropped', 'refused'].includes(support),
      ),
    ).toEqual([]);
  });

  test('names only known features in the rules of its fields', () => {
    const unknown = Object.values(conversion.fields).flatMap((rule) =>
      rule === null || rule.feature in FEATURES ? [] : [rule.feature],
    );
    expect(unknown).toEqual([]);
  });

  test('has a rule for every object on the way to an inner field', () => {
    const parents = Object.keys(conversion.fields).flatMap((path) =>
      path.includes('.') ? [path.slice(0, path.lastIndexOf('.'))] : [],
    );
    expect(parents.filter((parent) => conversion.fields[parent] !== null)).toEqual([]);
  });
});

import { CLIENT_PROTOCOLS, PROTOCOLS } from '@tollgate/vocabulary';
import { CODECS } from './registry.ts';
import { FEATURES } from './neutral/features.ts';

test('the registry holds every wire format and nothing else', () => {
  expect(Object.keys(CODECS).toSorted()).toEqual([...PROTOCOLS].toSorted());
});

describe.each(PROTOCOLS)('%s', (protocol) => {
  const conversion = CODECS[protocol].conversion;

  test('says of every feature how it serves it', () => {
    expect(Object.keys(conversion.support).toSorted()).toEqual(Object.keys(FEATURES).toSorted());
    expect(
      Object.values(conversion.support).filter(
        (support) => !['carried', 'emulated', 'dropped', 'refused'].includes(support),
      ),
    ).toEqual([]);
  });
});

describe.each(CLIENT_PROTOCOLS)('a client of %s', (protocol) => {
  const { conversion } = CODECS[protocol];

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

import { CATALOGUE_FAULTS, sayFault } from '@tollgate/vocabulary';
import i18next from 'i18next';
import fc from 'fast-check';
import en from '../locales/en/faults.json' with { type: 'json' };
import { sayFaults } from './say-faults.ts';

beforeAll(() =>
  i18next.init({ lng: 'en', resources: { en: { faults: en } }, interpolation: { escapeValue: false } }),
);

const faults = fc
  .constantFrom(...(Object.keys(CATALOGUE_FAULTS) as (keyof typeof CATALOGUE_FAULTS)[]))
  .map((fault) =>
    sayFault('models.a', fault, { name: 'gpt-5', unit: 'searches', kind: 'aws', why: 'Not reached' }),
  );

test('every fault that services join is said, and none twice', () => {
  fc.assert(
    fc.property(fc.array(faults, { minLength: 1, maxLength: 4 }), (some) => {
      expect(sayFaults(some.join('; '))).toBe(some.map(sayFaults).join('; '));
    }),
  );
});

test('what is no fault that is known stays as it is', () => {
  expect(sayFaults('models.0.name: letters only; and so on')).toBe('models.0.name: letters only; and so on');
  expect(sayFaults('models.m.vendor: there is no vendor "x"; odd')).toBe(
    'models.m.vendor: There is no vendor “x”.; odd',
  );
});

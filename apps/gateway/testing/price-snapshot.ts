import { type Catalogue, EMPTY_CATALOGUE, type PriceSnapshot } from '@tollgate/catalogue';

/** What is published of a catalogue that holds this and nothing else. */
export const priceSnapshot = (of: Partial<Catalogue>): PriceSnapshot => ({
  version: 1,
  hash: '0'.repeat(64),
  published_at: '2026-11-21T00:00:00.000Z',
  catalogue: { ...EMPTY_CATALOGUE, ...of },
});

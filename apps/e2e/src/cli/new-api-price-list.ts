// A database of a deployment with many models, and what each of them costs there: in the words of new-api's program where an option was
// never saved, and of the option where it was.
import { completePriceList } from '@tollgate/catalogue';
import type { NewApiDatabase } from './new-api-database.ts';
import { BY_ITS_PROGRAM, BY_OPTIONS, BY_PATTERN, STORED } from './new-api-prices.ts';
import { tollgate } from './tollgate.ts';

export type DatabaseCase = [name: string, make: () => Promise<NewApiDatabase>];

const KINDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;
type PriceList = Parameters<typeof completePriceList>[0] & {
  readonly name: string;
  readonly request_price: number;
  readonly unit_prices?: Readonly<Record<string, number>>;
};
/** In USD for a million, so that a person can compare them. */
const usdOf = (micro: number | undefined): string => String((micro ?? Number.NaN) / 1e6);
function rowsOf(models: readonly PriceList[]): ReadonlyMap<string, string> {
  return new Map(
    models.map((model) => {
      const { prices } = completePriceList(model);
      return [model.name, KINDS.map((kind) => usdOf(prices[kind])).join(' ')];
    }),
  );
}

export function priceListTests(databases: readonly DatabaseCase[]): void {
  describe.each(databases)('the price list of %s', (_kind, make) => {
    let database: NewApiDatabase;
    const pricesOf = async (): Promise<PriceList[]> => {
      const { exit, out, err } = await tollgate([
        ...['import', 'new-api', '--database', database.where, '--dry-run', '--json'],
      ]);
      expect([exit, err]).toEqual([0, '']);
      return (JSON.parse(out) as { models: PriceList[] }).models;
    };
    beforeAll(async () => {
      database = await make();
      const all = [
        ...BY_ITS_PROGRAM.map(([name]) => name).filter((name) => !name.endsWith('*')),
        ...BY_PATTERN.map(([name]) => name),
        ...['dall-e-3', 'whisper-1', 'tts-1'],
      ];
      const ratios = BY_ITS_PROGRAM.map(([name, ratio]) => [name, ratio] as const);
      await database.insert({
        channels: [{ type: 1, key: 'k', name: 'all', models: all.join(), group: 'default' }],
        options: [
          {
            key: 'ModelRatio',
            value: JSON.stringify(Object.fromEntries([...ratios, ['whisper-1', 15], ['tts-1', 7.5]])),
          },
          { key: 'GroupRatio', value: '{"default":1}' },
        ],
      });
    });

    test('is that of its program where only ModelRatio is stored, for every model', async () => {
      const models = await pricesOf();
      const expected = new Map([
        ...BY_ITS_PROGRAM.filter(([name]) => !name.endsWith('*')).map(
          ([name, , usd]) => [name, usd] as const,
        ),
        ...BY_PATTERN,
      ]);
      const found = rowsOf(models);
      expect(Object.fromEntries([...expected.keys()].map((name) => [name, found.get(name)]))).toEqual(
        Object.fromEntries(expected),
      );
      // A minute of sound is a thousand tokens there, and a character that is said is one.
      const units = Object.fromEntries(models.map(({ name, unit_prices }) => [name, unit_prices]));
      expect(units['whisper-1']).toEqual({ audio_milliseconds: 500_000 });
      expect(units['tts-1']).toEqual({ characters: 15_000_000 });
    });

    test('is what the options say where they are stored', async () => {
      await database.insert({
        options: Object.entries(STORED).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
      });
      const models = await pricesOf();
      const found = rowsOf(models);
      expect(BY_OPTIONS.map(([name]) => [name, found.get(name)])).toEqual(
        BY_OPTIONS.map(([name, usd]) => [name, usd]),
      );
      for (const [name, , others = {}] of BY_OPTIONS)
        for (const [kind, usd] of Object.entries(others)) {
          const model = models.find((each) => each.name === name);
          const { request, images } = {
            request: model?.request_price,
            images: model?.unit_prices?.['images'],
          };
          const price = { ...model?.prices, request, images: (images ?? 0) / 1e6 }[kind];
          expect({ name, kind, usd: usdOf(price) }).toEqual({ name, kind, usd });
        }
    });
  });
}

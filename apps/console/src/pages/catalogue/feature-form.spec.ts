import { featureFaults, type FeatureForm, toFeatureForm, toFeatures } from './feature-form.ts';
import { priceListFaults, type PriceListForm, toPriceList, toPriceListForm } from './price-list-form.ts';

type BesideForm = FeatureForm & PriceListForm;
const prices = { input: 1_000_000, output: 2_000_000 };
const empty: BesideForm = {
  ...toFeatureForm({}),
  ...toPriceListForm({ prices, tiers: [], request_price: 0 }),
};
const besideFaults = (form: BesideForm) => ({ ...featureFaults(form), ...priceListFaults(form) });
const units = (of: Partial<BesideForm['unitPrices']>) => ({
  ...empty,
  unitPrices: { ...empty.unitPrices, ...of },
});
const tiers = (of: Partial<BesideForm['serviceTiers']>) => ({
  ...empty,
  serviceTiers: { ...empty.serviceTiers, ...of },
});

test('what states nothing says nothing, so that the hash of a version stays what it is', () => {
  expect({ ...toFeatures(empty), ...toPriceList(empty) }).toEqual({ prices, tiers: [], request_price: 0 });
  expect(besideFaults(empty)).toEqual({});
});

test('prices are typed as vendors tell them and kept for a million units', () => {
  const form = units({ searches: '10', container_sessions: ' 0.03 ', audio_milliseconds: '0.006' });
  expect(toPriceList(form)).toMatchObject({
    unit_prices: {
      searches: 10_000_000_000,
      container_sessions: 30_000_000_000,
      audio_milliseconds: 100_000,
    },
  });
  expect(besideFaults(form)).toEqual({});
});

test.each<[string, BesideForm, Record<string, string>]>([
  ['what is no price', units({ searches: 'free' }), { 'unitPrices.searches': 'unitPriceRequired' }],
  [
    'a price that does not come out even',
    units({ audio_milliseconds: '0.01' }),
    { 'unitPrices.audio_milliseconds': 'unitPriceRequired' },
  ],
  ['what is no ratio', tiers({ flex: '50%' }), { 'serviceTiers.flex': 'timesRequired' }],
  ['a ratio of too many places', tiers({ flex: '0.1234' }), { 'serviceTiers.flex': 'timesRequired' }],
  [
    'regions without a name, without a ratio and twice',
    {
      ...empty,
      regions: [
        { name: '', ratio: '1.1' },
        { name: 'us', ratio: '' },
        { name: 'us ', ratio: '1' },
      ],
    },
    {
      'regions.0.name': 'regionRequired',
      'regions.1.ratio': 'timesRequired',
      'regions.2.name': 'regionTwice',
    },
  ],
  [
    'what is sold without its price',
    {
      ...empty,
      pricedFeatures: ['web_search', 'service_tier', 'speed', 'inference_geo', 'image_generation'],
    },
    {
      'unitPrices.searches': 'unitOfFeature',
      'serviceTiers.priority': 'tierOfFeature',
      'serviceTiers.fast': 'speedOfFeature',
      pricedFeatures: 'regionOfFeature',
      imageModels: 'imageModelOfFeature',
    },
  ],
  [
    'service tiers that are sold at a price for Fast alone',
    { ...tiers({ fast: '6' }), pricedFeatures: ['service_tier', 'speed'] },
    { 'serviceTiers.priority': 'tierOfFeature' },
  ],
  [
    'what is sold and given away',
    { ...units({ searches: '10' }), pricedFeatures: ['web_search'], freeFeatures: ['web_search'] },
    { freeFeatures: 'pricedAndFree' },
  ],
])('%s is told beside its field', (_what, form, faults) => {
  expect(besideFaults(form)).toEqual(faults);
});

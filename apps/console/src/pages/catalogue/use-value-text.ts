import {
  COSTLY_FEATURES,
  type CostlyFeature,
  type FeatureTerms,
  isUnitKind,
  METER_KINDS,
  type MeterKind,
  type ModelOperation,
  SERVICE_TIERS,
  type ServiceTier,
} from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import type { Tier } from '../../api/catalogue.ts';
import { useFormat } from '../../shared/use-format.ts';
import { useFeatureName } from '../../shared/use-feature-name.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { usePriceText } from '../../shared/use-price-text.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import type { DifferenceRow } from './difference-rows.ts';
import { toUsd } from './prices.ts';

const isAmong = <T extends string>(names: readonly T[], name: string): name is T =>
  names.some((each) => each === name);

/** What goes without saying where the kind of token or unit is named. */
const UNNAMED: ReadonlySet<string> = new Set(['prices', 'unit_prices']);

/** How values and fields of the catalogue are told to people. */
export function useValueText() {
  const { t } = useTranslation(['catalogue', 'operations']);
  const format = useFormat();

  const kindName = useMeterKindName();
  const priceText = usePriceText();
  const tierName = useServiceTierName();
  const featureName = useFeatureName();
  const operationName = useOperationName();
  const tierText = ({ above_input_tokens: above, prices }: Tier): string =>
    t('tierText', {
      tokens: format.count(above),
      input: format.exactMoney(toUsd(prices['input'] ?? 0)),
      output: format.exactMoney(toUsd(prices['output'] ?? 0)),
    });
  const plain = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return '–';
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    if (typeof value === 'number') return format.count(value);
    if (typeof value === 'string') return value === '*' ? t('everyModelShort') : value;
    if (!Array.isArray(value)) return JSON.stringify(value);
    if (value.length === 0) return '–';
    return value.every((each) => typeof each === 'string')
      ? value.map(plain).join(', ')
      : JSON.stringify(value);
  };

  /** What a name means depends on what it stands below: regions are named by vendors. */
  const nameBelow = (above: string | undefined, name: string): string => {
    if (above === 'service_tiers' && isAmong<ServiceTier>(SERVICE_TIERS, name)) return tierName(name);
    if (above === 'features' && isAmong<CostlyFeature>(COSTLY_FEATURES, name)) return featureName(name);
    if (above === 'regions') return name;
    if (name === 'operations') return t('purpose', { ns: 'operations' });
    if (isAmong<MeterKind>(METER_KINDS, name)) return kindName(name);
    return t(`fields.${name as 'name'}`, { defaultValue: name });
  };

  return {
    textOf({ kind, path }: Pick<DifferenceRow, 'kind' | 'path'>, value: unknown): string {
      const name = path.at(-1) ?? '';
      if (kind === 'unitPrice' && typeof value === 'number' && isUnitKind(name))
        return priceText(name, value);
      if (kind === 'times') return t('times', { ratio: String(value) });
      if (kind === 'terms') return t(`featureTerms.${value as FeatureTerms}`);
      if (kind === 'price' && typeof value === 'number') return format.exactMoney(toUsd(value));
      if (kind === 'tiers' && Array.isArray(value))
        return value.length === 0 ? '–' : (value as readonly Tier[]).map(tierText).join('; ');
      if (name === 'operations' && Array.isArray(value))
        return (value as readonly ModelOperation[]).map(operationName).join(', ');
      return plain(value);
    },
    /** A field by its path, such as "Price: Input". */
    nameOf(path: readonly string[]): string {
      return path
        .filter((name, index) => !UNNAMED.has(name) || index === path.length - 1)
        .map((name, index, names) => nameBelow(names[index - 1], name))
        .join(' · ');
    },
  };
}

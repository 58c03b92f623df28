import { Text } from '@mantine/core';
import { SERVICE_TIERS } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import type { PricedModel } from '../../api/pricing.ts';
import { useFeatureName } from '../../shared/use-feature-name.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { usePriceText } from '../../shared/use-price-text.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import classes from './ModelDrawer.module.css';
import { Part } from './Part.tsx';
import { freeFeatures, shownUnits } from './price-rows.ts';

/** What is charged beside tokens, and what tokens cost where they are not served by the standard. */
export function BesideTokens({ model, ratio }: { readonly model: PricedModel; readonly ratio: string }) {
  const { t } = useTranslation('models');
  const kindName = useMeterKindName();
  const priceText = usePriceText();
  const tierName = useServiceTierName();
  const featureName = useFeatureName();
  const units = shownUnits(model);
  const tiers = SERVICE_TIERS.filter((tier) => model.service_tiers[tier] !== undefined);
  const regions = Object.keys(model.regions);
  const free = freeFeatures(model);
  if (units.length + tiers.length + regions.length + free.length + model.image_models.length === 0)
    return null;
  return (
    <Part title={t('beside.title')}>
      <table className={classes.prices}>
        <tbody>
          {units.map((kind) => (
            <tr key={kind}>
              <th scope="row">{kindName(kind)}</th>
              <td>{priceText(kind, model.unit_prices[kind] ?? 0, ratio)}</td>
            </tr>
          ))}
          {tiers.map((tier) => (
            <tr key={tier}>
              <th scope="row">{t('beside.serviceTier', { tier: tierName(tier) })}</th>
              <td>{t('times', { ratio: model.service_tiers[tier] ?? '1' })}</td>
            </tr>
          ))}
          {regions.map((region) => (
            <tr key={region}>
              <th scope="row">{t('beside.region', { region })}</th>
              <td>{t('times', { ratio: model.regions[region] ?? '1' })}</td>
            </tr>
          ))}
          {model.image_models.length > 0 && (
            <tr>
              <th scope="row">{t('beside.imageModels')}</th>
              <td className="tg-mono">{model.image_models.join(', ')}</td>
            </tr>
          )}
          {free.map((feature) => (
            <tr key={feature}>
              <th scope="row">{featureName(feature)}</th>
              <td>{t('beside.free')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Text size="xs" c="dimmed" mt="xs">
        {t('beside.means')}
      </Text>
    </Part>
  );
}

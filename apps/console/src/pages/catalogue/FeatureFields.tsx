import { Fieldset, MultiSelect, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { COSTLY_FEATURES } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import { useFeatureName } from '../../shared/use-feature-name.ts';
import { PRICED_FEATURES } from './feature-form.ts';
import type { ModelForm } from './model-form.ts';
import { BesidePriceFields, priceListPart } from './PriceListFields.tsx';

interface FeatureFieldsProps {
  readonly form: UseFormReturnType<ModelForm>;
  /** The names of all models. */
  readonly models: readonly string[];
}

/** What a model charges beside its tokens, and which of a vendor's features it sells. */
export function FeatureFields({ form, models }: FeatureFieldsProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  const featureName = useFeatureName();
  const { values } = form;
  const { pricedFeatures } = values;
  const toOptions = (features: typeof PRICED_FEATURES) =>
    features.map((feature) => ({ value: feature, label: featureName(feature) }));
  return (
    <Fieldset legend={t('title')}>
      <Stack gap="md">
        <Text size="xs" c="dimmed">
          {t('means')}
        </Text>
        <MultiSelect
          label={t('priced')}
          description={t('pricedMeans')}
          data={toOptions(PRICED_FEATURES)}
          searchable
          clearable
          {...form.getInputProps('pricedFeatures')}
          value={[...pricedFeatures]}
        />
        <MultiSelect
          label={t('given')}
          description={t('givenMeans')}
          data={toOptions(COSTLY_FEATURES)}
          searchable
          clearable
          {...form.getInputProps('freeFeatures')}
          value={[...values.freeFeatures]}
        />
        {(values.imageModels.length > 0 || pricedFeatures.includes('image_generation')) && (
          <MultiSelect
            label={t('fields.image_models', { ns: 'catalogue' })}
            description={t('imageModelsMean')}
            data={models}
            searchable
            clearable
            {...form.getInputProps('imageModels')}
            value={[...values.imageModels]}
          />
        )}
        <BesidePriceFields
          form={priceListPart(form)}
          values={values}
          isTierOpen={pricedFeatures.includes('service_tier') || pricedFeatures.includes('speed')}
        />
      </Stack>
    </Fieldset>
  );
}

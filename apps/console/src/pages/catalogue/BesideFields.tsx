import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconChevronDown, IconPlus, IconTrash } from '@tabler/icons-react';
import { COSTLY_FEATURES, FEATURE_UNITS, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFeatureName } from '../../shared/use-feature-name.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { PRICED_FEATURES, PRICED_TIERS } from './beside-form.ts';
import type { ModelForm } from './model-form.ts';

interface FormProps {
  readonly form: UseFormReturnType<ModelForm>;
}

interface BesideFieldsProps extends FormProps {
  /** The names of all models. */
  readonly models: readonly string[];
}

/** What a model charges beside its tokens, and which of a vendor's features it sells. */
export function BesideFields({ form, models }: BesideFieldsProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  const featureName = useFeatureName();
  const { values } = form;
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
          value={[...values.pricedFeatures]}
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
        {(values.imageModels.length > 0 || values.pricedFeatures.includes('image_generation')) && (
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
        <UnitFields form={form} />
        <TierFields form={form} />
        <RegionFields form={form} />
      </Stack>
    </Fieldset>
  );
}

const FIRST_UNITS: readonly UnitKind[] = Object.values(FEATURE_UNITS);
const OTHER_UNITS = UNIT_KINDS.filter((kind) => !FIRST_UNITS.includes(kind));

function UnitFields({ form }: FormProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  const kindName = useMeterKindName();
  const [isOpen, open] = useState(() => OTHER_UNITS.some((kind) => form.values.unitPrices[kind] !== ''));
  return (
    <div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {[...FIRST_UNITS, ...(isOpen ? OTHER_UNITS : [])].map((kind) => (
          <TextInput
            key={kind}
            label={kindName(kind)}
            description={t(`unitOf.${kind}`)}
            placeholder={t('noPrice')}
            inputMode="decimal"
            leftSection="$"
            {...form.getInputProps(`unitPrices.${kind}`)}
          />
        ))}
      </SimpleGrid>
      {!isOpen && <More text={t('otherUnits')} onClick={() => open(true)} />}
    </div>
  );
}

function TierFields({ form }: FormProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  const tierName = useServiceTierName();
  const { serviceTiers, pricedFeatures } = form.values;
  const [isOpened, open] = useState(() => PRICED_TIERS.some((tier) => serviceTiers[tier] !== ''));
  const isOpen = isOpened || pricedFeatures.includes('service_tier') || pricedFeatures.includes('speed');
  if (!isOpen) return <More text={t('addTiers')} onClick={() => open(true)} />;
  return (
    <div>
      <Text size="sm" fw={560}>
        {t('fields.service_tiers', { ns: 'catalogue' })}
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        {t('tiersMean')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {PRICED_TIERS.map((tier) => (
          <TextInput
            key={tier}
            label={tierName(tier)}
            placeholder={t('noPrice')}
            inputMode="decimal"
            leftSection="×"
            {...form.getInputProps(`serviceTiers.${tier}`)}
          />
        ))}
      </SimpleGrid>
    </div>
  );
}

function RegionFields({ form }: FormProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  return (
    <Stack gap="xs">
      {form.values.regions.map((_region, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            flex="2 1 8rem"
            label={t('region')}
            maxLength={128}
            {...form.getInputProps(`regions.${index}.name`)}
          />
          <TextInput
            flex="1 1 6rem"
            label={t('times')}
            inputMode="decimal"
            leftSection="×"
            {...form.getInputProps(`regions.${index}.ratio`)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            mt={24}
            aria-label={t('removeRegion', { number: index + 1 })}
            onClick={() => form.removeListItem('regions', index)}
          >
            <IconTrash size={17} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={15} />}
          onClick={() => form.insertListItem('regions', { name: '', ratio: '' })}
        >
          {t('addRegion')}
        </Button>
        <Text size="xs" c="dimmed">
          {t('regionsMean')}
        </Text>
      </Group>
    </Stack>
  );
}

const More = ({ text, onClick }: { readonly text: string; readonly onClick: () => void }) => (
  <Button
    variant="subtle"
    size="compact-sm"
    mt="xs"
    w="fit-content"
    ml={-8}
    leftSection={<IconChevronDown size={15} />}
    onClick={onClick}
  >
    {text}
  </Button>
);

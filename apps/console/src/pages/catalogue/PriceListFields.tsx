import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { IconChevronDown, IconPlus, IconTrash } from '@tabler/icons-react';
import { FEATURE_UNITS, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { PRICED_TIERS, type PriceListForm } from './price-list-form.ts';
import { PriceFields } from './PriceFields.tsx';
import { emptyPrices } from './prices.ts';

/** The part of a form in which a price list stands. */
interface PriceListPart {
  readonly input: (path: string) => GetInputPropsReturnType;
  readonly insert: (path: string, item: unknown) => void;
  readonly remove: (path: string, index: number) => void;
}

interface MantineForm {
  readonly getInputProps: (path: string) => GetInputPropsReturnType;
  readonly insertListItem: (path: string, item: unknown) => void;
  readonly removeListItem: (path: string, index: number) => void;
}

/** @param at where the list stands in the form, with a dot at its end. */
export const priceListPart = (form: MantineForm, at = ''): PriceListPart => ({
  input: (path) => form.getInputProps(`${at}${path}`),
  insert: (path, item) => form.insertListItem(`${at}${path}`, item),
  remove: (path, index) => form.removeListItem(`${at}${path}`, index),
});

interface PriceListProps {
  readonly form: PriceListPart;
  readonly values: PriceListForm;
  /** Service tiers are asked for. */
  readonly isTierOpen?: boolean;
}

const TOKENS = {
  min: 1,
  max: 2_147_483_647,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
} as const;
const MAX_TIERS = 8;

/** Prices of tokens, of a request, and of longer contexts. */
export function TokenPriceFields({ form, values }: PriceListProps) {
  const { t } = useTranslation('catalogue');
  return (
    <>
      <Fieldset legend={t('pricesOf')}>
        <PriceFields texts={values.prices} input={(kind) => form.input(`prices.${kind}`)} />
        <TextInput
          mt="sm"
          maw={{ xs: 260 }}
          label={t('fields.request_price')}
          placeholder={t('free')}
          leftSection="$"
          inputMode="decimal"
          {...form.input('requestPrice')}
        />
      </Fieldset>
      {values.tiers.map((tier, index) => (
        <Fieldset key={index} legend={t('tier', { number: index + 1 })}>
          <Stack gap="sm">
            <Group align="flex-end" justify="space-between" wrap="nowrap">
              <NumberInput
                flex={1}
                maw={{ xs: 260 }}
                label={t('fields.above_input_tokens')}
                required
                {...TOKENS}
                {...form.input(`tiers.${index}.above`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('removeTier', { number: index + 1 })}
                onClick={() => form.remove('tiers', index)}
              >
                <IconTrash size={17} />
              </ActionIcon>
            </Group>
            <PriceFields texts={tier.prices} input={(kind) => form.input(`tiers.${index}.prices.${kind}`)} />
          </Stack>
        </Fieldset>
      ))}
      {values.tiers.length < MAX_TIERS && (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={15} />}
            onClick={() => form.insert('tiers', { above: '', prices: emptyPrices })}
          >
            {t('addTier')}
          </Button>
          <Text size="xs" c="dimmed">
            {t('tierMeans')}
          </Text>
        </Group>
      )}
    </>
  );
}

/** Prices of units, service tiers and regions. */
export const BesidePriceFields = (props: PriceListProps) => (
  <>
    <UnitFields {...props} />
    <TierFields {...props} />
    <RegionFields {...props} />
  </>
);

const FIRST_UNITS: readonly UnitKind[] = Object.values(FEATURE_UNITS);
const OTHER_UNITS = UNIT_KINDS.filter((kind) => !FIRST_UNITS.includes(kind));

function UnitFields({ form: { input }, values }: PriceListProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  const kindName = useMeterKindName();
  const [isOpen, open] = useState(() => OTHER_UNITS.some((kind) => values.unitPrices[kind] !== ''));
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
            {...input(`unitPrices.${kind}`)}
          />
        ))}
      </SimpleGrid>
      {!isOpen && <More text={t('otherUnits')} onClick={() => open(true)} />}
    </div>
  );
}

function TierFields({ form: { input }, values, isTierOpen = false }: PriceListProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  const tierName = useServiceTierName();
  const { serviceTiers } = values;
  const [isOpened, open] = useState(() => PRICED_TIERS.some((tier) => serviceTiers[tier] !== ''));
  if (!isOpened && !isTierOpen) return <More text={t('addTiers')} onClick={() => open(true)} />;
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
            {...input(`serviceTiers.${tier}`)}
          />
        ))}
      </SimpleGrid>
    </div>
  );
}

function RegionFields({ form, values }: PriceListProps) {
  const { t } = useTranslation(['beside-tokens', 'catalogue']);
  return (
    <Stack gap="xs">
      {values.regions.map((_region, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            flex="2 1 8rem"
            label={t('region')}
            maxLength={128}
            {...form.input(`regions.${index}.name`)}
          />
          <TextInput
            flex="1 1 6rem"
            label={t('times')}
            inputMode="decimal"
            leftSection="×"
            {...form.input(`regions.${index}.ratio`)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            mt={24}
            aria-label={t('removeRegion', { number: index + 1 })}
            onClick={() => form.remove('regions', index)}
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
          onClick={() => form.insert('regions', { name: '', ratio: '' })}
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

import { Fieldset, MultiSelect, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { PriceBook } from '../../api/pricing.ts';
import { DayPicker } from '../../shared/DayPicker.tsx';
import { toRatio } from '../../shared/format.ts';
import { LimitInput } from '../../shared/LimitInput.tsx';
import type { ApiKey } from '../../api/keys.ts';
import { useUsableGroups } from '../../shared/use-usable-groups.ts';
import type { KeyForm } from './key-form.ts';
import { useHeldFields } from './use-held-fields.tsx';

interface KeyFieldsProps {
  readonly form: UseFormReturnType<KeyForm>;
  /** Undefined while it is not known which groups and models there are. */
  readonly book: PriceBook | undefined;
  /** What an operator set of the key that is changed. */
  readonly held?: ApiKey['operator_fields'] | undefined;
}

/** What the service calls budgets and limits. */
const BUDGETS = { daily: 'daily_usd', monthly: 'monthly_usd', total: 'total_usd' } as const;
const LIMITS = {
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  atOnce: 'concurrent_requests',
} as const;

const MAX_ADDRESSES = 100;

/** What a key is called, what it may spend, how much at once, for which models and from where. */
export function KeyFields({ form, book, held }: KeyFieldsProps) {
  const { t } = useTranslation('keys');
  const field = useHeldFields(held);
  const { group, models, addresses } = form.values;
  const groups = [...new Set([group, ...useUsableGroups(book)])];
  const offered = book?.data
    .filter(({ enable_groups }) => enable_groups.includes(group))
    .map(({ model_name }) => model_name);

  return (
    <>
      <TextInput
        label={t('form.name')}
        placeholder={t('form.nameSuch')}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          {...field('group', t('form.group'))}
          allowDeselect={false}
          data={groups.map((name) => ({
            value: name,
            label: t('form.groupRatio', { name, ratio: toRatio(book?.group_ratio[name] ?? 1) }),
          }))}
          {...form.getInputProps('group')}
        />
        <DayPicker
          {...field('expires_at', t('form.lastDay'))}
          placeholder={t('never')}
          {...form.getInputProps('lastDay')}
        />
      </SimpleGrid>
      <MultiSelect
        {...field('models', t('form.models'))}
        placeholder={models.length === 0 ? t('form.everyModel') : ''}
        searchable
        clearable
        hidePickedOptions
        nothingFoundMessage={t('form.noModel')}
        data={[...new Set([...(offered ?? []), ...models])]}
        {...form.getInputProps('models')}
        value={[...models]}
      />
      <Fieldset legend={t('form.budgets')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {(['daily', 'monthly', 'total'] as const).map((window) => (
            <TextInput
              key={window}
              {...field(`budgets.${BUDGETS[window]}`, t(`form.${window}`))}
              placeholder={t('form.noLimit')}
              inputMode="decimal"
              leftSection="$"
              {...form.getInputProps(window)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={t('form.limits')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {(['requests', 'tokens', 'atOnce'] as const).map((limit) => (
            <LimitInput
              key={limit}
              {...field(`limits.${LIMITS[limit]}`, t(`form.${limit}`))}
              placeholder={t('form.defaultLimit')}
              {...form.getInputProps(limit)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <TagsInput
        {...field('allowed_addresses', t('form.addresses'), t('form.addressesMean'))}
        placeholder={addresses.length === 0 ? t('form.everywhere') : ''}
        maxTags={MAX_ADDRESSES}
        clearable
        splitChars={[',', ' ']}
        acceptValueOnBlur
        {...form.getInputProps('addresses')}
        value={[...addresses]}
      />
      <Switch
        label={t('form.strict')}
        description={t('form.strictMeans')}
        {...form.getInputProps('strict', { type: 'checkbox' })}
      />
    </>
  );
}

import { Fieldset, MultiSelect, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { findOwn } from '@tollgate/vocabulary';
import type { PriceBook } from '../../api/pricing.ts';
import { DayPicker } from '../../shared/DayPicker.tsx';
import { toRatio } from '../../shared/format.ts';
import type { ApiKey, HeldField } from '../../api/keys.ts';
import { useUsableGroups } from '../../shared/use-usable-groups.ts';
import { type LimitName, LIMITS } from '../limits/limit-form.ts';
import { LimitFields } from '../limits/LimitFields.tsx';
import type { KeyForm } from './key-form.ts';
import { useHeldFields } from './use-held-fields.tsx';

interface KeyFieldsProps {
  readonly form: UseFormReturnType<KeyForm>;
  /** Undefined while it is not known which groups and models there are. */
  readonly book: PriceBook | undefined;
  /** What an operator set of the key that is changed. */
  readonly held?: ApiKey['operator_fields'] | undefined;
}

/** What the service calls budgets. */
const BUDGETS = { daily: 'daily_usd', monthly: 'monthly_usd', total: 'total_usd' } as const;
const LIMITED: ReadonlySet<string> = new Set(LIMITS);
/** Those of units are held as a whole. */
const toHeldField = (name: LimitName): HeldField =>
  LIMITED.has(name) ? `limits.${name as (typeof LIMITS)[number]}` : 'limits.units_per_minute';

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
            label: t('form.groupRatio', {
              name,
              ratio: toRatio(findOwn(book?.group_ratio ?? {}, name) ?? 1),
            }),
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
        // A list without options would be a barrier.
        filter={({ options, search }) => {
          const found = options.filter(
            (option) => 'label' in option && option.label.toLowerCase().includes(search.trim().toLowerCase()),
          );
          return found.length > 0 ? found : [{ value: '', label: t('form.noModel'), disabled: true }];
        }}
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
        <LimitFields
          input={(name, label) => ({
            ...field(toHeldField(name), label),
            placeholder: t('form.defaultLimit'),
            ...form.getInputProps(`limits.${name}`),
          })}
        />
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

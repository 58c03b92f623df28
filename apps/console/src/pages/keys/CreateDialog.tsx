import { Fieldset, NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createKey, KEYS, type NewApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { DayPicker } from '../../shared/DayPicker.tsx';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { ratioOf } from '../../shared/format.ts';
import { useRefusedField } from '../../shared/use-refused-field.ts';
import { bodyOf, emptyForm, isBudget, type KeyForm } from './key-form.ts';

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onMade: (key: NewApiKey) => void;
}

/** The fields of the dialog by what the service calls them. */
const FIELD_OF: Readonly<Record<string, keyof KeyForm>> = {
  name: 'name',
  group: 'group',
  expires_at: 'lastDay',
  'budgets.total_usd': 'total',
  'budgets.daily_usd': 'daily',
  'budgets.monthly_usd': 'monthly',
  'limits.requests_per_minute': 'requests',
  'limits.tokens_per_minute': 'tokens',
};

export default function CreateDialog({ onClose, onMade }: CreateDialogProps) {
  const { t } = useTranslation('keys');
  const queryClient = useQueryClient();
  const book = useQuery(pricesQuery).data;
  const budget = (text: string) => (isBudget(text) ? null : t('form.amountWanted'));
  const form = useForm<KeyForm>({
    initialValues: emptyForm,
    validate: {
      name: (name) => (name.trim() === '' ? t('form.nameWanted') : null),
      total: budget,
      daily: budget,
      monthly: budget,
    },
  });
  const refused = useRefusedField(form, FIELD_OF);
  const making = useMutation({
    mutationFn: (values: KeyForm) => createKey(bodyOf(values)),
    onSuccess: async (key) => {
      onMade(key);
      await queryClient.invalidateQueries({ queryKey: KEYS });
    },
    onError: (error) => refused.onError(error),
  });
  const groups = Object.entries(book?.group_ratio ?? { [emptyForm.group]: 1 });

  return (
    <FormDialog
      title={t('create')}
      size="lg"
      submit={t('form.submit')}
      error={refused.general(making.error)}
      isPending={making.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => making.mutate(values))}
    >
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
          label={t('form.group')}
          allowDeselect={false}
          data={groups.map(([name, ratio]) => ({
            value: name,
            label: t('form.groupRatio', { name, ratio: ratioOf(ratio) }),
          }))}
          {...form.getInputProps('group')}
        />
        <DayPicker label={t('form.lastDay')} placeholder={t('never')} {...form.getInputProps('lastDay')} />
      </SimpleGrid>
      <Fieldset legend={t('form.budgets')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {(['daily', 'monthly', 'total'] as const).map((window) => (
            <TextInput
              key={window}
              label={t(`form.${window}`)}
              placeholder={t('form.noLimit')}
              inputMode="decimal"
              leftSection="$"
              {...form.getInputProps(window)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={t('form.limits')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {(['requests', 'tokens'] as const).map((limit) => (
            <NumberInput
              key={limit}
              label={t(`form.${limit}`)}
              placeholder={t('form.defaultLimit')}
              min={1}
              max={2_147_483_647}
              allowDecimal={false}
              thousandSeparator=","
              hideControls
              {...form.getInputProps(limit)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Switch
        label={t('form.strict')}
        description={t('form.strictMeans')}
        {...form.getInputProps('strict', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

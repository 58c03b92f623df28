import { Autocomplete, type AutocompleteProps, SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createExport, EXPORTS } from '../../api/exports.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { monthDays } from '../../shared/spans.ts';
import { DaysPicker } from '../../shared/DaysPicker.tsx';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { KeyPicker } from '../../shared/KeyPicker.tsx';
import { useRefusedField } from '../../shared/use-refused-field.ts';
import { AccountPicker } from '../accounts/AccountPicker.tsx';
import { type ExportForm, toExportBody } from './export-form.ts';
import { WhatFields } from './WhatFields.tsx';
import { useZone } from '../../shared/use-zone.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface CreateDialogProps {
  readonly onClose: () => void;
}

const FIELD_OF: Readonly<Record<string, keyof ExportForm>> = {
  from: 'from',
  to: 'from',
  model: 'model',
  key_id: 'key',
  account_id: 'account',
};

const MAX_OFFERED = 20;

export default function CreateDialog({ onClose }: CreateDialogProps) {
  const { t } = useTranslation('exports');
  const queryClient = useQueryClient();
  const zone = useZone();
  const [from, to] = monthDays(0, zone);
  const form = useForm<ExportForm>({
    initialValues: { kind: 'usage', format: 'csv', account: undefined, from, to, model: '', key: '' },
    validate: {
      from: (_from, values) => (toExportBody(values, zone) === null ? t('form.daysRequired') : null),
    },
  });
  const refused = useRefusedField(form, FIELD_OF);
  const asking = useMutation({
    mutationFn: (values: ExportForm) => {
      const body = toExportBody(values, zone);
      if (body === null) throw new Error('an export without days');
      return createExport(body);
    },
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: EXPORTS });
    },
    onError: (error) => refused.onError(error),
  });
  const { values } = form;
  const error = form.errors['from'];

  return (
    <FormDialog
      title={t('create')}
      size="lg"
      submit={t('form.submit')}
      error={refused.general(asking.error)}
      isPending={asking.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((asked) => asking.mutate(asked))}
    >
      <WhatFields values={values} onChange={(change) => form.setValues(change)} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DaysPicker
          isRequired
          days={{
            ...(values.from === undefined ? {} : { from: values.from }),
            ...(values.to === undefined ? {} : { to: values.to }),
          }}
          error={typeof error === 'string' ? error : null}
          onChange={(days) => form.setValues(days)}
        />
        <AccountPicker value={values.account} onChange={(account) => form.setValues({ account, key: '' })} />
      </SimpleGrid>
      {values.kind !== 'ledger' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <ModelInput {...form.getInputProps('model')} />
          <KeyPicker
            label={t('form.key')}
            placeholder={t('form.everyKey')}
            account={values.account}
            value={values.key === '' ? undefined : values.key}
            onChange={(key) => form.setFieldValue('key', key ?? '')}
          />
        </SimpleGrid>
      )}
      <Text size="xs" c="dimmed">
        {t('form.zone', { zone })}
      </Text>
    </FormDialog>
  );
}

/** One of those that are offered is picked, one that is no more is typed. */
function ModelInput(field: Partial<AutocompleteProps>) {
  const { t } = useTranslation('exports');
  const models = useLookup(pricesQuery).data?.data.map(({ model_name }) => model_name) ?? [];
  return (
    <Autocomplete
      label={t('form.model')}
      placeholder={t('form.everyModel')}
      data={models}
      limit={MAX_OFFERED}
      {...field}
    />
  );
}

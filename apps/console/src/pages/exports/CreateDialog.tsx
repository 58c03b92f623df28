import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createExport, EXPORTS } from '../../api/exports.ts';
import { ApiError } from '../../api/result.ts';
import { monthDays } from '../../shared/days.ts';
import { DaysPicker } from '../../shared/DaysPicker.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { AccountPicker } from '../accounts/AccountPicker.tsx';
import { type ExportForm, exportBodyOf } from './export-form.ts';
import { WhatFields } from './WhatFields.tsx';

interface CreateDialogProps {
  readonly onClose: () => void;
}

export default function CreateDialog({ onClose }: CreateDialogProps) {
  const { t } = useTranslation(['exports', 'common']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('create')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <CreateForm onClose={onClose} />
    </Modal>
  );
}

const FIELD_OF: Readonly<Record<string, keyof ExportForm>> = {
  from: 'from',
  to: 'from',
  model: 'model',
  key_id: 'key',
  account_id: 'account',
};

function CreateForm({ onClose }: CreateDialogProps) {
  const { t } = useTranslation(['exports', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const [from, to] = monthDays(0);
  const form = useForm<ExportForm>({
    initialValues: { kind: 'usage', format: 'csv', account: undefined, from, to, model: '', key: '' },
    validate: { from: (_from, values) => (exportBodyOf(values) === null ? t('form.daysWanted') : null) },
  });
  const asking = useMutation({
    mutationFn: (values: ExportForm) => {
      const body = exportBodyOf(values);
      if (body === null) throw new Error('an export without days');
      return createExport(body);
    },
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: EXPORTS });
    },
    onError: (error) => {
      const field = error instanceof ApiError && error.param !== null ? FIELD_OF[error.param] : undefined;
      if (field) form.setFieldError(field, errorText(error));
    },
  });
  const { values } = form;
  const isGeneral = asking.error && Object.keys(form.errors).length === 0;
  const error = form.errors['from'];

  return (
    <form noValidate onSubmit={form.onSubmit((asked) => asking.mutate(asked))}>
      <Stack gap="md">
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
          <AccountPicker
            value={values.account}
            onChange={(account) => form.setFieldValue('account', account)}
          />
        </SimpleGrid>
        {values.kind !== 'ledger' && (
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={t('form.model')}
              placeholder={t('form.everyModel')}
              {...form.getInputProps('model')}
            />
            <TextInput
              label={t('form.key')}
              placeholder={t('form.everyKey')}
              {...form.getInputProps('key')}
            />
          </SimpleGrid>
        )}
        <Text size="xs" c="dimmed">
          {t('form.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
        </Text>
        {isGeneral && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(asking.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit" loading={asking.isPending}>
            {t('form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

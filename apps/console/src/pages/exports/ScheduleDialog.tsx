import { Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createSchedule, EXPORTS, SCHEDULES } from '../../api/exports.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { TimeZonePicker } from '../../shared/TimeZonePicker.tsx';
import { AccountPicker } from '../accounts/AccountPicker.tsx';
import { type ScheduleForm, toScheduleBody } from './export-form.ts';
import { WhatFields } from './WhatFields.tsx';
import { useZone } from '../../shared/use-zone.ts';

interface ScheduleDialogProps {
  readonly onClose: () => void;
}

const DAYS = Array.from({ length: 28 }, (_, index) => String(index + 1));
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

export default function ScheduleDialog({ onClose }: ScheduleDialogProps) {
  const { t } = useTranslation('exports');
  const queryClient = useQueryClient();
  const zone = useZone();
  const form = useForm<ScheduleForm>({
    initialValues: {
      kind: 'usage',
      format: 'csv',
      account: undefined,
      name: '',
      every: 'month',
      day: '4',
      hour: '6',
      timeZone: zone,
      afterClose: true,
    },
    validate: { name: (name) => (name.trim() === '' ? t('form.nameRequired') : null) },
  });
  const making = useMutation({
    mutationFn: (values: ScheduleForm) => createSchedule(toScheduleBody(values)),
    onSuccess: async () => {
      onClose();
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: SCHEDULES }),
        queryClient.invalidateQueries({ queryKey: EXPORTS }),
      ]);
    },
  });
  const { values } = form;
  const isMonthly = values.every === 'month';

  return (
    <FormDialog
      title={t('schedules.create')}
      size="lg"
      submit={t('form.submitSchedule')}
      error={making.error}
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
      <WhatFields values={values} onChange={(change) => form.setValues(change)} />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Select
          label={t('form.every')}
          allowDeselect={false}
          data={(['day', 'month'] as const).map((every) => ({ value: every, label: t(`every.${every}`) }))}
          {...form.getInputProps('every')}
        />
        <Select
          label={t('form.day')}
          allowDeselect={false}
          disabled={!isMonthly}
          data={DAYS}
          {...form.getInputProps('day')}
        />
        <Select label={t('form.hour')} allowDeselect={false} data={HOURS} {...form.getInputProps('hour')} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TimeZonePicker label={t('form.timeZone')} {...form.getInputProps('timeZone')} />
        <AccountPicker
          value={values.account}
          onChange={(account) => form.setFieldValue('account', account)}
        />
      </SimpleGrid>
      {isMonthly && (
        <Switch
          label={t('form.afterClose')}
          description={t('form.afterCloseMeans')}
          {...form.getInputProps('afterClose', { type: 'checkbox' })}
        />
      )}
    </FormDialog>
  );
}

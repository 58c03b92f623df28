import { Button, Group, Modal, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createSchedule, EXPORTS, SCHEDULES } from '../../api/exports.ts';
import { useErrorText } from '../../shared/States.tsx';
import { TimeZonePicker } from '../../shared/TimeZonePicker.tsx';
import { AccountPicker } from '../accounts/AccountPicker.tsx';
import { type ScheduleForm, scheduleBodyOf } from './export-form.ts';
import { WhatFields } from './WhatFields.tsx';

interface ScheduleDialogProps {
  readonly onClose: () => void;
}

export default function ScheduleDialog({ onClose }: ScheduleDialogProps) {
  const { t } = useTranslation(['exports', 'common']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('schedules.create')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <ScheduleFields onClose={onClose} />
    </Modal>
  );
}

const DAYS = Array.from({ length: 28 }, (_, index) => String(index + 1));
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

function ScheduleFields({ onClose }: ScheduleDialogProps) {
  const { t } = useTranslation(['exports', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const form = useForm<ScheduleForm>({
    initialValues: {
      kind: 'usage',
      format: 'csv',
      account: undefined,
      name: '',
      every: 'month',
      day: '4',
      hour: '6',
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      afterClose: true,
    },
    validate: { name: (name) => (name.trim() === '' ? t('form.nameWanted') : null) },
  });
  const making = useMutation({
    mutationFn: (values: ScheduleForm) => createSchedule(scheduleBodyOf(values)),
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
    <form noValidate onSubmit={form.onSubmit((wanted) => making.mutate(wanted))}>
      <Stack gap="md">
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
        {making.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(making.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit" loading={making.isPending}>
            {t('form.submitSchedule')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Alert, Checkbox, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { closePeriod, PERIODS, toRefusal, type Whose } from '../../api/periods.ts';
import { STATEMENTS } from '../../api/statements.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { notify } from '../../shared/notify.ts';
import { AccountName } from '../accounts/AccountName.tsx';
import { useMonth } from './use-month.ts';
import { useZone } from '../../shared/use-zone.ts';
import { findMonth } from '../../shared/spans.ts';

interface CloseDialogProps {
  readonly account: string;
  /** The account's month that is over and open; null when there is none. */
  readonly month: string | null;
  readonly onClose: () => void;
}

/** Closes a month for good, of one account or of all, after one has said that one knows what that means. */
export default function CloseDialog({ account, month, onClose }: CloseDialogProps) {
  const { t } = useTranslation(['periods', 'finance']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const monthText = useMonth();
  const zone = useZone();
  const form = useForm({
    initialValues: {
      month: month ?? findMonth(1, zone),
      reason: t('closing.reason'),
      isOfAll: month === null,
      isSure: false,
    },
    validate: {
      month: (text) => (/^\d{4}-(0[1-9]|1[0-2])$/.test(text.trim()) ? null : t('closing.monthRequired')),
      reason: (text) => (text.trim() === '' ? t('reasonRequired', { ns: 'finance' }) : null),
      isSure: (isSure) => (isSure ? null : t('closing.sureRequired')),
    },
  });
  const closing = useMutation({
    mutationFn: (values: typeof form.values) => {
      const whose: Whose = values.isOfAll ? { all: true } : { account_id: account };
      return closePeriod({ ...whose, month: values.month.trim(), reason: values.reason.trim() });
    },
    onSuccess: async ({ closed, refused }) => {
      onClose();
      const [first] = refused;
      notify({
        title: t('closing.done', { count: closed.length }),
        message: first
          ? t('closing.refused', { count: refused.length, why: errorText(toRefusal(first)) })
          : '',
        ...(first ? { color: 'yellow', autoClose: 15_000 } : {}),
      });
      await Promise.all([PERIODS, STATEMENTS].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });

  return (
    <FormDialog
      title={t('close')}
      submit={t('closing.submit')}
      error={closing.error}
      isPending={closing.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => closing.mutate(values))}
    >
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
        {t('closing.about')}
      </Alert>
      <TextInput
        label={t('closing.month')}
        placeholder={findMonth(1, zone)}
        required
        data-autofocus
        {...form.getInputProps('month')}
      />
      <Checkbox label={t('closing.ofAll')} {...form.getInputProps('isOfAll', { type: 'checkbox' })} />
      {!form.values.isOfAll && (
        <Text size="sm">
          {t('closing.only')} <AccountName id={account} />
        </Text>
      )}
      <Textarea
        label={t('reason', { ns: 'finance' })}
        required
        autosize
        maxLength={500}
        {...form.getInputProps('reason')}
      />
      <Checkbox
        label={t('closing.sure', {
          month: form.isValid('month') ? monthText(form.values.month.trim()) : form.values.month,
        })}
        {...form.getInputProps('isSure', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

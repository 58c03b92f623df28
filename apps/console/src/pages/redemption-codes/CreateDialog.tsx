import { NumberInput, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { BATCHES, createBatch } from '../../api/redemption.ts';
import { amountInWords } from '../../shared/amount-in-words.ts';
import { DayPicker } from '../../shared/DayPicker.tsx';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { useIdempotencyKey } from '../../shared/idempotency-key.ts';
import { useFormat } from '../../shared/use-format.ts';
import {
  type BatchForm,
  toBody,
  emptyForm,
  isCodeAmount,
  type MadeBatch,
  computeTotal,
} from './batch-form.ts';
import classes from './RedemptionCodes.module.css';
import { useZone } from '../../shared/use-zone.ts';

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onMade: (batch: MadeBatch) => void;
}

const MAX_CODES = 10_000;

export default function CreateDialog({ onClose, onMade }: CreateDialogProps) {
  const { t, i18n } = useTranslation(['redemption-codes', 'finance']);
  const format = useFormat();
  const zone = useZone();
  const queryClient = useQueryClient();
  const idempotencyKey = useIdempotencyKey();
  const form = useForm<BatchForm>({
    initialValues: emptyForm,
    validate: {
      amount: (text) => (isCodeAmount(text) ? null : t('amountRequired', { ns: 'finance' })),
      count: (count) => (Number.isInteger(count) && Number(count) > 0 ? null : t('form.countRequired')),
      note: (note) => (note.trim() === '' ? t('form.noteRequired') : null),
    },
  });
  const making = useMutation({
    mutationFn: (values: BatchForm) => createBatch(toBody(values, zone), idempotencyKey),
    onSuccess: async (batch, { note }) => {
      onMade({ ...batch, note: note.trim() });
      await queryClient.invalidateQueries({ queryKey: BATCHES });
    },
  });
  const total = computeTotal(form.values);

  return (
    <FormDialog
      title={t('create')}
      submit={t('form.submit')}
      error={making.error}
      isPending={making.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => making.mutate(values))}
    >
      <TextInput
        label={t('form.note')}
        placeholder={t('form.noteSuch')}
        required
        maxLength={500}
        data-autofocus
        {...form.getInputProps('note')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('form.amount')}
          placeholder="5.00"
          inputMode="decimal"
          leftSection="$"
          required
          {...form.getInputProps('amount')}
        />
        <NumberInput
          label={t('form.count')}
          required
          min={1}
          max={MAX_CODES}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('count')}
        />
      </SimpleGrid>
      <DayPicker label={t('form.lastDay')} placeholder={t('never')} {...form.getInputProps('lastDay')} />
      {total !== null && (
        <div className={classes.total}>
          <Text size="sm" c="dimmed">
            {t('form.inAll')}
          </Text>
          <Text fw={620} className="tg-number">
            {format.exactMoney(total)}
          </Text>
          <Text size="sm" data-testid="sum-in-words">
            {amountInWords(total, i18n.language)}
          </Text>
        </div>
      )}
    </FormDialog>
  );
}

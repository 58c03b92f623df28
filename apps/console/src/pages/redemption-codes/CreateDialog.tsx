import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { BATCHES, createBatch } from '../../api/redemption.ts';
import { amountInWords } from '../../shared/amount-in-words.ts';
import { useIdempotencyKey } from '../../shared/idempotency-key.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { type BatchForm, bodyOf, emptyForm, isCodeAmount, totalOf } from './batch-form.ts';
import type { MadeBatch } from './RedemptionCodes.tsx';
import classes from './RedemptionCodes.module.css';

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onMade: (batch: MadeBatch) => void;
}

export default function CreateDialog(props: CreateDialogProps) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t('create')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <CreateForm {...props} />
    </Modal>
  );
}

const MOST_CODES = 10_000;

function CreateForm({ onClose, onMade }: CreateDialogProps) {
  const { t, i18n } = useTranslation(['redemption-codes', 'finance', 'common']);
  const isChinese = i18n.language === 'zh-CN';
  const format = useFormat();
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const idempotencyKey = useIdempotencyKey();
  const form = useForm<BatchForm>({
    initialValues: emptyForm,
    validate: {
      amount: (text) => (isCodeAmount(text) ? null : t('amountWanted', { ns: 'finance' })),
      count: (count) => (Number.isInteger(count) && Number(count) > 0 ? null : t('form.countWanted')),
      note: (note) => (note.trim() === '' ? t('form.noteWanted') : null),
    },
  });
  const making = useMutation({
    mutationFn: (values: BatchForm) => createBatch(bodyOf(values), idempotencyKey),
    onSuccess: async (batch, { note }) => {
      onMade({ ...batch, note: note.trim() });
      await queryClient.invalidateQueries({ queryKey: BATCHES });
    },
  });
  const total = totalOf(form.values);

  return (
    <form noValidate onSubmit={form.onSubmit((values) => making.mutate(values))}>
      <Stack>
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
            max={MOST_CODES}
            allowDecimal={false}
            thousandSeparator=","
            {...form.getInputProps('count')}
          />
        </SimpleGrid>
        <DatePickerInput
          label={t('form.lastDay')}
          placeholder={t('never')}
          clearable
          minDate={new Date()}
          locale={isChinese ? 'zh-cn' : 'en'}
          valueFormat={isChinese ? 'YYYY年M月D日' : 'MMM D, YYYY'}
          clearButtonProps={{ 'aria-label': t('clear', { ns: 'finance' }) }}
          ariaLabels={{
            nextMonth: t('nextMonth', { ns: 'finance' }),
            previousMonth: t('previousMonth', { ns: 'finance' }),
          }}
          {...form.getInputProps('lastDay')}
        />
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
            {t('form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

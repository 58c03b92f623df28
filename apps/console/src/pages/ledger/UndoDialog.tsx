import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { formatUsd, parseUsd } from '@tollgate/money';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ACCOUNTS } from '../../api/accounts.ts';
import { correct, LEDGER, refund, type ShownTransaction } from '../../api/ledger.ts';
import { amountInWords } from '../../shared/amount-in-words.ts';
import { useIdempotencyKey } from '../../shared/idempotency-key.ts';
import { notify } from '../../shared/notify.ts';
import { useUnsaved } from '../../shared/use-unsaved.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isAmountFor } from '../accounts/operation.ts';
import classes from './Ledger.module.css';

interface UndoDialogProps {
  readonly transaction: ShownTransaction;
  readonly onClose: () => void;
  readonly onDone: (number: number) => void;
}

/** Gives usage back, or takes back what somebody entered: by another transaction, with the sum in words first. */
export default function UndoDialog(props: UndoDialogProps) {
  const { t } = useTranslation(['finance', 'common']);
  const way = props.transaction.kind === 'usage' ? 'refund' : 'correction';
  const unsaved = useUnsaved(props.onClose);
  return (
    <Modal
      opened
      onClose={unsaved.close}
      closeOnClickOutside={false}
      title={t(`undo.${way}.title`, { number: props.transaction.number })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack onChange={unsaved.onChange}>
        <UndoForm {...props} way={way} />
        {unsaved.question}
      </Stack>
    </Modal>
  );
}

const opposite = (amount: string): string => formatUsd(-parseUsd(amount));

function UndoForm({ transaction, way, onClose, onDone }: UndoDialogProps & { way: 'refund' | 'correction' }) {
  const { t, i18n } = useTranslation(['finance', 'common']);
  const format = useFormat();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const idempotencyKey = useIdempotencyKey();
  const [isChecking, setChecking] = useState(false);
  const whole = opposite(transaction.amount_usd);
  const isOfMany = way === 'refund' && transaction.request_id === null;
  const form = useForm({
    initialValues: { amount: '', reason: '', request: transaction.request_id ?? '' },
    validate: {
      request: (text) =>
        way === 'correction' || text.trim() !== '' ? null : t('undo.refund.requestRequired'),
      amount: (text) => (text.trim() === '' || isAmountFor('grant', text) ? null : t('amountRequired')),
      reason: (text) => (text.trim() === '' ? t('reasonRequired') : null),
    },
  });
  const part = form.values.amount.trim();
  const sum = part === '' ? whole : part;
  const undoing = useMutation({
    mutationFn: () => {
      const reason = form.values.reason.trim();
      const request = { request_id: form.values.request.trim(), reason };
      return way === 'refund'
        ? refund({ ...request, ...(part === '' ? {} : { amount_usd: part }) }, idempotencyKey)
        : correct({ transaction: transaction.number, reason }, idempotencyKey);
    },
    onSuccess: async ({ number }) => {
      onClose();
      onDone(number);
      notify({ message: t(`undo.${way}.done`, { number }) });
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ACCOUNTS }),
        queryClient.invalidateQueries({ queryKey: LEDGER }),
      ]);
    },
  });

  return (
    <form noValidate onSubmit={form.onSubmit(() => (isChecking ? undoing.mutate() : setChecking(true)))}>
      <Stack>
        {isChecking ? (
          <>
            <Text size="sm" c="dimmed">
              {t(part === '' && way === 'refund' ? 'undo.refund.checkAll' : `undo.${way}.check`)}
            </Text>
            <div>
              {isOfMany && <Text className="tg-mono">{form.values.request.trim()}</Text>}
              {(!isOfMany || part !== '') && (
                <>
                  <Text className={classes.sum}>{format.exactMoney(sum)}</Text>
                  <Text size="sm" data-testid="sum-in-words">
                    {amountInWords(sum, i18n.language)}
                  </Text>
                </>
              )}
            </div>
            <Text size="sm">{form.values.reason.trim()}</Text>
          </>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t(`undo.${way}.about`)}
            </Text>
            {isOfMany && (
              <TextInput
                label={t('facts.request')}
                description={t('undo.refund.requestMeans')}
                required
                {...form.getInputProps('request')}
              />
            )}
            {way === 'refund' && (
              <TextInput
                label={t('amount')}
                description={t('undo.refund.amountMeans')}
                {...(isOfMany ? {} : { placeholder: whole })}
                inputMode="decimal"
                leftSection="$"
                {...form.getInputProps('amount')}
              />
            )}
            <Textarea
              label={t('reason')}
              placeholder={t(`undo.${way}.such`)}
              required
              autosize
              minRows={2}
              maxLength={500}
              data-autofocus
              {...form.getInputProps('reason')}
            />
          </>
        )}
        {undoing.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(undoing.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => (isChecking ? setChecking(false) : onClose())}>
            {isChecking ? t('back') : t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit" loading={undoing.isPending}>
            {t(isChecking ? `undo.${way}.submit` : 'next')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

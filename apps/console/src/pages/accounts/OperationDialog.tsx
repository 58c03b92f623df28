import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Account, ACCOUNTS } from '../../api/accounts.ts';
import { type AccountOperation, enter, LEDGER } from '../../api/ledger.ts';
import { ApiError } from '../../api/result.ts';
import { amountInWords } from '../../shared/amount-in-words.ts';
import { useIdempotencyKey } from '../../shared/idempotency-key.ts';
import { notify } from '../../shared/notify.ts';
import { useUnsaved } from '../../shared/use-unsaved.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { takeFocus } from '../../shared/take-focus.ts';
import { isAmountFor } from './operation.ts';
import classes from './Accounts.module.css';

interface OperationDialogProps {
  readonly kind: AccountOperation;
  readonly account: Pick<Account, 'id' | 'name' | 'balance_usd'>;
  readonly onClose: () => void;
}

/** Enters a transaction for an account: first what, then once more with the sum in words. */
export default function OperationDialog(props: OperationDialogProps) {
  const { t } = useTranslation(['accounts', 'common']);
  const unsaved = useUnsaved(props.onClose);
  return (
    <Modal
      opened
      onClose={unsaved.close}
      closeOnClickOutside={false}
      title={t(`operations.${props.kind}.title`, { name: props.account.name })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack onChange={unsaved.onChange}>
        <OperationForm {...props} />
        {unsaved.question}
      </Stack>
    </Modal>
  );
}

function OperationForm({ kind, account, onClose }: OperationDialogProps) {
  const { t, i18n } = useTranslation(['accounts', 'finance', 'common']);
  const format = useFormat();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const idempotencyKey = useIdempotencyKey();
  const [isChecking, setChecking] = useState(false);
  const form = useForm({
    initialValues: { amount: '', reason: '' },
    validate: {
      amount: (text) => (isAmountFor(kind, text) ? null : t('amountRequired', { ns: 'finance' })),
      reason: (text) => (text.trim() === '' ? t('reasonRequired', { ns: 'finance' }) : null),
    },
  });
  const amount = form.values.amount.trim();
  const entering = useMutation({
    mutationFn: () =>
      enter(
        kind,
        { account_id: account.id, amount_usd: amount, reason: form.values.reason.trim() },
        idempotencyKey,
      ),
    onSuccess: async ({ number }) => {
      onClose();
      notify({
        message: t(`operations.${kind}.done`, {
          amount: format.exactMoney(amount),
          name: account.name,
          number,
        }),
      });
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ACCOUNTS }),
        queryClient.invalidateQueries({ queryKey: LEDGER }),
      ]);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.param === 'amount_usd') {
        form.setFieldError('amount', errorText(error));
        setChecking(false);
      }
    },
  });

  if (isChecking) {
    return (
      <Stack>
        <div className={classes.check}>
          <Text size="sm" c="dimmed">
            {t(`operations.${kind}.check`, { name: account.name })}
          </Text>
          <Text className={classes.sum}>{format.exactMoney(amount)}</Text>
          <Text size="sm" data-testid="sum-in-words">
            {amountInWords(amount, i18n.language)}
          </Text>
        </div>
        <Text size="sm">{t('operations.because', { reason: form.values.reason.trim() })}</Text>
        <Text size="sm" c="dimmed">
          {t('operations.final')}
        </Text>
        {entering.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(entering.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => setChecking(false)} disabled={entering.isPending}>
            {t('back', { ns: 'finance' })}
          </Button>
          <Button ref={takeFocus} loading={entering.isPending} onClick={() => entering.mutate()}>
            {t(`operations.${kind}.submit`)}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form noValidate onSubmit={form.onSubmit(() => setChecking(true))}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(`operations.${kind}.about`)}
        </Text>
        <TextInput
          label={t('operations.amount')}
          description={t('operations.balance', { balance: format.exactMoney(account.balance_usd) })}
          placeholder="12.50"
          inputMode="decimal"
          leftSection="$"
          required
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <Textarea
          label={t('reason', { ns: 'finance' })}
          description={t('operations.reasonMeans')}
          placeholder={t(`operations.${kind}.such`)}
          required
          autosize
          minRows={2}
          maxLength={500}
          {...form.getInputProps('reason')}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit">{t('operations.next')}</Button>
        </Group>
      </Stack>
    </form>
  );
}

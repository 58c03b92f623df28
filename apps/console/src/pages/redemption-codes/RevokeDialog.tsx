import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BATCHES, type Batch, type Code, revokeCodes } from '../../api/redemption.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { notify } from '../../shared/notify.ts';
import { openCodes } from './status.ts';

interface RevokeDialogProps {
  readonly batch: Batch;
  /** One code; without it all that nobody has redeemed. */
  readonly code?: Code;
  readonly onClose: () => void;
}

/** Asks first: a code that is taken back does not come back. */
export default function RevokeDialog({ batch, code, onClose }: RevokeDialogProps) {
  const { t } = useTranslation(['redemption-codes', 'finance']);
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const revoking = useMutation({
    mutationFn: () => revokeCodes(batch.id, { reason: reason.trim(), ...(code ? { code_id: code.id } : {}) }),
    onSuccess: async ({ revoked }) => {
      onClose();
      notify({ message: t('revoking.done', { count: revoked }) });
      await queryClient.invalidateQueries({ queryKey: BATCHES });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(reason.trim() === '');
    if (reason.trim() !== '') revoking.mutate();
  };
  return (
    <FormDialog
      centered
      title={code ? t('revoking.one', { code: code.masked }) : t('revoking.all', { count: openCodes(batch) })}
      submit={t('revoke')}
      isDanger
      error={revoking.error}
      isPending={revoking.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      <Text size="sm">{t('revoking.about')}</Text>
      <TextInput
        label={t('reason', { ns: 'finance' })}
        required
        maxLength={500}
        data-autofocus
        value={reason}
        error={isMissing && reason.trim() === '' ? t('reasonRequired', { ns: 'finance' }) : null}
        onChange={({ currentTarget: { value } }) => setReason(value)}
      />
    </FormDialog>
  );
}

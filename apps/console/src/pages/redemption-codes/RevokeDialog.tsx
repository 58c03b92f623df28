import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BATCHES, type Batch, type Code, revokeCodes } from '../../api/redemption.ts';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { openCodes } from './standing.ts';

interface RevokeDialogProps {
  readonly batch: Batch;
  /** One code; without it all that nobody has redeemed. */
  readonly code?: Code;
  readonly onClose: () => void;
}

/** Asks first: a code that is taken back does not come back. */
export default function RevokeDialog({ batch, code, onClose }: RevokeDialogProps) {
  const { t } = useTranslation(['redemption-codes', 'finance', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
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
    <Modal
      opened
      onClose={onClose}
      centered
      title={code ? t('revoking.one', { code: code.masked }) : t('revoking.all', { count: openCodes(batch) })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <form noValidate onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('revoking.about')}</Text>
          <TextInput
            label={t('reason', { ns: 'finance' })}
            required
            maxLength={500}
            data-autofocus
            value={reason}
            error={isMissing && reason.trim() === '' ? t('reasonWanted', { ns: 'finance' }) : null}
            onChange={({ currentTarget: { value } }) => setReason(value)}
          />
          {revoking.error && (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {errorText(revoking.error)}
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button color="red.9" type="submit" loading={revoking.isPending}>
              {t('revoke')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { redeem } from '../../api/redemption.ts';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useUnsaved } from '../../shared/use-unsaved.tsx';
import { useFormat } from '../../shared/use-format.ts';

interface RedeemDialogProps {
  readonly onClose: () => void;
}

/** Gives the credit of a redemption code to the account of whoever is signed in. Load it with `lazy()`. */
export default function RedeemDialog({ onClose }: RedeemDialogProps) {
  const { t, ready } = useTranslation(['redeem', 'common']);
  const format = useFormat();
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const [code, setCode] = useState('');
  const [isMissing, setMissing] = useState(false);
  const redeeming = useMutation({
    mutationFn: () => redeem(code.trim()),
    onSuccess: async ({ amount_usd }) => {
      onClose();
      notify({ message: t('done', { amount: format.exactMoney(amount_usd) }) });
      await queryClient.invalidateQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(code.trim() === '');
    if (code.trim() !== '') redeeming.mutate();
  };
  const unsaved = useUnsaved(onClose);
  const fault = isMissing && code.trim() === '' ? t('codeRequired') : null;
  if (!ready) return null;
  return (
    <Modal
      opened
      onClose={unsaved.close}
      centered
      title={t('title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <form noValidate onSubmit={submit} onChange={unsaved.onChange}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('about')}
          </Text>
          <TextInput
            label={t('code')}
            placeholder={t('codeSuch')}
            required
            maxLength={64}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            data-autofocus
            classNames={{ input: 'tg-mono' }}
            value={code}
            error={redeeming.error ? errorText(redeeming.error) : fault}
            onChange={({ currentTarget: { value } }) => {
              setCode(value);
              redeeming.reset();
            }}
          />
          {unsaved.question}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button type="submit" loading={redeeming.isPending}>
              {t('submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

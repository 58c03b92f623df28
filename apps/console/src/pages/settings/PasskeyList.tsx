import { Button, Group, Modal, Text, TextInput, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Added,
  type Factors,
  factorsQuery,
  type Passkey,
  removePasskey,
  renamePasskey,
} from '../../api/factors.ts';
import { AddPasskey } from '../../factors/AddPasskey.tsx';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Settings.module.css';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

interface PasskeyListProps {
  readonly factors: Factors;
  readonly onAdded: (added: Added) => void;
}

/** One's passkeys with their names and when each was last used. */
export function PasskeyList({ factors: { passkeys, passkey_origin: origin }, onAdded }: PasskeyListProps) {
  const { t } = useTranslation(['security', 'common']);
  const format = useFormat();
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const [isAdding, setAdding] = useState(false);
  const [doomed, doom] = useState<Passkey | null>(null);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const settled = () => queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey });
  const removing = useMutation({
    mutationFn: removePasskey,
    onError: (error) => notify({ color: 'red', title: t('refused'), message: errorText(error) }),
    onSuccess: () => notify({ message: t('passkeys.removed') }),
    onSettled: settled,
  });
  const renaming = useMutation({
    mutationFn: renamePasskey,
    onSuccess: () => {
      setRenamed(null);
      notify({ message: t('passkeys.renamed') });
    },
    onSettled: settled,
  });
  const isHere = origin === window.location.origin;
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <Title order={3} size="h4">
          {t('passkeys.title')}
        </Title>
        {isHere && (
          <Button size="compact-sm" variant="default" onClick={() => setAdding(true)}>
            {t('passkeys.add')}
          </Button>
        )}
      </Group>
      {passkeys.length === 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('passkeys.none')}
        </Text>
      )}
      {!isHere && (
        <Text size="sm" c="dimmed" mt={4}>
          {origin === null ? t('passkeys.unavailable') : t('passkeys.elsewhere', { origin })}
        </Text>
      )}
      {passkeys.length > 0 && (
        <ul className={classes.sessions} aria-label={t('passkeys.title')}>
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <IconKey size={22} stroke={1.5} />
              <div>
                <Text size="sm" fw={580} style={{ overflowWrap: 'anywhere' }}>
                  {passkey.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {t(passkey.last_used_at === null ? 'unused' : 'used', {
                    since: format.day(passkey.created_at),
                    used: passkey.last_used_at === null ? '' : format.fromNow(passkey.last_used_at),
                  })}
                </Text>
              </div>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('passkeys.renameOf', { name: passkey.name })}
                onClick={() => setRenamed(passkey)}
              >
                {t('passkeys.rename')}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('passkeys.removeOf', { name: passkey.name })}
                onClick={() => doom(passkey)}
              >
                {t('passkeys.remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Modal
        opened={isAdding}
        onClose={() => setAdding(false)}
        title={t('passkeys.add')}
        closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
      >
        <AddPasskey
          onAdded={(added) => {
            setAdding(false);
            onAdded(added);
          }}
          onCancel={() => setAdding(false)}
        />
      </Modal>
      {renamed && (
        <FormDialog
          title={t('passkeys.renameOf', { name: passkeys.find(({ id }) => id === renamed.id)?.name ?? '' })}
          submit={t('passkeys.save')}
          error={renaming.error}
          isPending={renaming.isPending}
          onClose={() => setRenamed(null)}
          onSubmit={(event) => {
            event.preventDefault();
            if (renamed.name.trim() !== '') renaming.mutate(renamed);
          }}
        >
          <TextInput
            label={t('passkeys.name')}
            maxLength={100}
            value={renamed.name}
            data-autofocus
            onChange={({ currentTarget: { value } }) => setRenamed({ ...renamed, name: value })}
          />
        </FormDialog>
      )}
      {doomed && (
        <Suspense>
          <ConfirmDialog
            title={t('passkeys.removeTitle', { name: doomed.name })}
            about={t('passkeys.removeAbout')}
            submit={t('passkeys.remove')}
            onClose={() => doom(null)}
            onConfirm={() => {
              doom(null);
              removing.mutate(doomed.id);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

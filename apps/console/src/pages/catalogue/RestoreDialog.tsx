import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { draftQuery, draftsQuery, restoreVersion } from '../../api/drafts.ts';
import { useErrorText } from '../../shared/States.tsx';
import type { ChangeSearch } from './search.ts';

interface RestoreDialogProps {
  readonly version: number;
  readonly change: ChangeSearch;
  readonly onClose: () => void;
}

/** What a price is made of: everything but where requests go. */
const WITHOUT_ROUTES = ['vendors', 'models', 'groups', 'discounts', 'auto_groups', 'limits'] as const;

/** Makes a draft that brings an earlier version back: it is looked at and published like any other. */
export default function RestoreDialog({ version, change, onClose }: RestoreDialogProps) {
  const { t } = useTranslation(['catalogue-versions', 'common']);
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const [name, setName] = useState(() => `back-to-${version}-${Date.now().toString(36).slice(-4)}`);
  const [withRoutes, setWithRoutes] = useState(true);
  const making = useMutation({
    mutationFn: () =>
      restoreVersion(name.trim(), {
        version,
        reason: t('restoring.reason', { version }),
        ...(withRoutes ? {} : { sections: [...WITHOUT_ROUTES] }),
      }),
    onSuccess: async (draft) => {
      queryClient.setQueryData(draftQuery(draft.name).queryKey, draft);
      onClose();
      change({ draft: draft.name, tab: 'changes', from: undefined, to: undefined });
      await queryClient.invalidateQueries({ queryKey: draftsQuery.queryKey, exact: true });
    },
  });
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      title={t('restoring.title', { version })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack>
        <Text size="sm">{t('restoring.about')}</Text>
        <TextInput
          label={t('restoring.draft')}
          value={name}
          required
          maxLength={128}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Switch
          label={t('restoring.routes')}
          description={t('restoring.routesMean')}
          checked={withRoutes}
          onChange={({ currentTarget }) => setWithRoutes(currentTarget.checked)}
        />
        {making.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(making.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button loading={making.isPending} disabled={name.trim() === ''} onClick={() => making.mutate()}>
            {t('restoring.submit')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiKey, changeKey, type KeyPage, KEYS, removeKey } from '../../api/keys.ts';
import { hideNotice, notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';

type Status = ApiKey['status'];

/** What can be done with a key of a list. The list shows it at once; what the service refuses is taken back. */
export function useKeyChanges() {
  const { t } = useTranslation(['keys', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();

  const show = (edit: (page: KeyPage) => KeyPage) => {
    const before = queryClient.getQueriesData<KeyPage>({ queryKey: KEYS });
    queryClient.setQueriesData<KeyPage>({ queryKey: KEYS }, (page) => page && edit(page));
    return () => before.forEach(([queryKey, page]) => queryClient.setQueryData(queryKey, page));
  };
  const refused = (error: Error, _change: unknown, takeBack: (() => void) | undefined) => {
    takeBack?.();
    notify({ color: 'red', title: t('refused'), message: errorText(error) });
  };
  const settled = () => queryClient.invalidateQueries({ queryKey: KEYS });

  const switching = useMutation({
    mutationFn: ({ key, status }: { key: ApiKey; status: Status }) => changeKey(key.id, { status }),
    onMutate: async ({ key, status }) => {
      await queryClient.cancelQueries({ queryKey: KEYS });
      return show((page) => ({
        ...page,
        items: page.items.map((item) => (item.id === key.id ? { ...item, status } : item)),
      }));
    },
    onError: refused,
    onSettled: settled,
  });
  const removing = useMutation({
    mutationFn: (key: ApiKey) => removeKey(key.id),
    onMutate: async (key) => {
      await queryClient.cancelQueries({ queryKey: KEYS });
      return show((page) => ({
        ...page,
        total: page.total - 1,
        items: page.items.filter(({ id }) => id !== key.id),
      }));
    },
    onError: refused,
    onSuccess: (_nothing, key) => {
      notify({ message: t('deleted', { name: key.name }) });
    },
    onSettled: settled,
  });

  const switchKey = switching.mutate;
  const setStatus = useCallback(
    (key: ApiKey, status: Status) =>
      switchKey(
        { key, status },
        {
          onSuccess: () => {
            const id = `status-${key.id}`;
            const undo = () => {
              hideNotice(id);
              switchKey({ key, status: key.status });
            };
            notify({
              id,
              message: (
                <Group justify="space-between" wrap="nowrap">
                  <Text size="sm">
                    {t(status === 'disabled' ? 'disabled' : 'enabled', { name: key.name })}
                  </Text>
                  <Button size="compact-sm" variant="default" onClick={undo}>
                    {t('undo', { ns: 'common' })}
                  </Button>
                </Group>
              ),
            });
          },
        },
      ),
    [switchKey, t],
  );
  return { setStatus, remove: removing.mutate };
}

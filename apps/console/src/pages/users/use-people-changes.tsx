import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  changeMember,
  type MadeLink,
  makePasswordLink,
  MEMBERS,
  type Member,
  removeMember,
  resetFactors,
} from '../../api/members.ts';
import { hideNotice, notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';

type Change = Partial<Pick<Member, 'role' | 'status'>>;

/** What can be done with people. Roles and whether they may sign in can be taken back from the notice of it. */
export function usePeopleChanges(onLink: (link: MadeLink) => void) {
  const { t } = useTranslation(['users', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const refused = (error: Error) => notify({ color: 'red', title: t('refused'), message: errorText(error) });
  const settled = () => queryClient.invalidateQueries({ queryKey: MEMBERS });

  const changing = useMutation({
    mutationFn: ({ person, change }: { person: Member; change: Change }) => changeMember(person, change),
    onError: refused,
    onSettled: settled,
  });
  const removing = useMutation({
    mutationFn: removeMember,
    onError: refused,
    onSuccess: (_nothing, { email }) => notify({ message: t('removed', { email }) }),
    onSettled: settled,
  });
  const resetting = useMutation({
    mutationFn: resetFactors,
    onError: refused,
    onSuccess: (_nothing, { email }) => notify({ message: t('factorsReset', { email }) }),
    onSettled: settled,
  });
  const linking = useMutation({ mutationFn: makePasswordLink, onError: refused, onSuccess: onLink });

  function change(person: Member, params: Change): void {
    const before: Change = {
      ...(params.role === undefined ? {} : { role: person.role }),
      ...(params.status === undefined ? {} : { status: person.status }),
    };
    const words =
      params.status === undefined
        ? t('roleIs', {
            email: person.email,
            role: t(`roles.${params.role ?? person.role}`, { ns: 'common' }),
          })
        : t(params.status === 'disabled' ? 'isDisabled' : 'isEnabled', { email: person.email });
    changing.mutate(
      { person, change: params },
      {
        onSuccess: () => {
          const id = `person-${person.id}`;
          const undo = () => {
            hideNotice(id);
            changing.mutate({ person, change: before });
          };
          notify({
            id,
            message: (
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm">{words}</Text>
                <Button size="compact-sm" variant="default" onClick={undo}>
                  {t('undo', { ns: 'common' })}
                </Button>
              </Group>
            ),
          });
        },
      },
    );
  }
  return { change, remove: removing.mutate, makeLink: linking.mutate, reset: resetting.mutate };
}

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

  function change(person: Member, wanted: Change): void {
    const before: Change = {
      ...(wanted.role === undefined ? {} : { role: person.role }),
      ...(wanted.status === undefined ? {} : { status: person.status }),
    };
    const words =
      wanted.status === undefined
        ? t('roleIs', {
            email: person.email,
            role: t(`roles.${wanted.role ?? person.role}`, { ns: 'common' }),
          })
        : t(wanted.status === 'disabled' ? 'isDisabled' : 'isEnabled', { email: person.email });
    changing.mutate(
      { person, change: wanted },
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

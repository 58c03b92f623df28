import { Stack, Text } from '@mantine/core';
import { IconLink, IconShieldOff, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MadeLink, Member } from '../../api/members.ts';
import type { SignedIn } from '../../api/session.ts';
import { Moment } from '../../shared/Moment.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { findMemberPermissions } from './member-permissions.ts';
import { usePeopleChanges } from './use-people-changes.tsx';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

interface PeopleTableProps {
  readonly people: readonly Member[];
  readonly session: SignedIn;
  readonly onLink: (link: MadeLink) => void;
}

const nameOf = ({ name, email }: Member): string => (name === '' ? email : name);

export function PeopleTable({ people, session, onLink }: PeopleTableProps) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const { change, remove, makeLink, reset } = usePeopleChanges(onLink);
  const [doomed, doom] = useState<Member | null>(null);
  const [locked, unlock] = useState<Member | null>(null);

  const columns = useMemo(
    (): readonly Column<Member>[] => [
      {
        id: 'name',
        header: t('columns.name'),
        card: 'title',
        sortBy: (person) => nameOf(person).toLowerCase(),
        cell: (person) => (
          <Stack gap={0}>
            <Text size="sm" fw={580}>
              {nameOf(person)}
              {person.id === session.user_id && ` ${t('you')}`}
            </Text>
            {person.name !== '' && (
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {person.email}
              </Text>
            )}
          </Stack>
        ),
      },
      {
        id: 'role',
        header: t('columns.role'),
        sortBy: ({ role }) => role,
        cell: ({ role }) => t(`roles.${role}`, { ns: 'common' }),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ status }) => (
          <Mark tone={status === 'active' ? 'good' : 'plain'}>{t(`status.${status}`)}</Mark>
        ),
      },
      {
        id: 'seen',
        header: t('columns.seen'),
        sortBy: ({ last_seen_at }) => last_seen_at ?? '',
        cell: ({ last_seen_at: at }) =>
          at === null ? (
            <Text size="sm" c="dimmed">
              {t('notSignedIn')}
            </Text>
          ) : (
            <Moment at={at} as="ago" />
          ),
      },
      {
        id: 'since',
        header: t('columns.since'),
        sortBy: ({ created_at }) => created_at,
        cell: ({ created_at: at }) => <Moment at={at} as="day" />,
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (person) => (
          <PersonMenu
            person={person}
            session={session}
            onChange={change}
            onLink={makeLink}
            onReset={() => unlock(person)}
            onRemove={() => doom(person)}
          />
        ),
      },
    ],
    [t, format, session, change, makeLink],
  );

  return (
    <>
      <DataTable
        id="people"
        label={t('title')}
        columns={columns}
        rows={people}
        rowId={({ id }) => id}
        isFaded={({ status }) => status === 'disabled'}
      />
      {locked && (
        <Suspense>
          <ConfirmDialog
            title={t('resetting.title', { name: nameOf(locked) })}
            about={t('resetting.about')}
            submit={t('resetting.submit')}
            onClose={() => unlock(null)}
            onConfirm={() => {
              unlock(null);
              reset(locked);
            }}
          />
        </Suspense>
      )}
      {doomed && (
        <Suspense>
          <ConfirmDialog
            title={t('removing.title', { name: nameOf(doomed) })}
            about={t('removing.about')}
            submit={t('removing.submit')}
            onClose={() => doom(null)}
            onConfirm={() => {
              doom(null);
              remove(doomed);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

interface PersonMenuProps {
  readonly person: Member;
  readonly session: SignedIn;
  readonly onChange: (person: Member, change: Partial<Pick<Member, 'role' | 'status'>>) => void;
  readonly onLink: (person: Member) => void;
  readonly onReset: () => void;
  readonly onRemove: () => void;
}

function PersonMenu({ person, session, onChange, onLink, onReset, onRemove }: PersonMenuProps) {
  const { t } = useTranslation(['users', 'common']);
  const may = findMemberPermissions(session, person);
  if (!may.anything) return null;
  const isActive = person.status === 'active';
  const doings = [
    ...(isActive
      ? [{ label: t('resetLink'), icon: <IconLink size={16} />, onClick: () => onLink(person) }]
      : []),
    ...(may.disable
      ? [{ label: t('resetFactors'), icon: <IconShieldOff size={16} />, onClick: onReset }]
      : []),
    ...(may.disable
      ? [
          {
            label: t(isActive ? 'disable' : 'enable'),
            icon: isActive ? <IconUserOff size={16} /> : <IconUserCheck size={16} />,
            onClick: () => onChange(person, { status: isActive ? 'disabled' : 'active' }),
          },
        ]
      : []),
    ...(may.remove
      ? [{ label: t('remove'), icon: <IconTrash size={16} />, isDanger: true, onClick: onRemove }]
      : []),
  ];
  return (
    <RowMenu
      width={220}
      label={t('doings', { name: nameOf(person) })}
      sections={() => [
        {
          title: t('columns.role'),
          entries: may.roles.map((role) => ({
            label: t(`roles.${role}`, { ns: 'common' }),
            isChosen: role === person.role,
            onClick: () => {
              if (role !== person.role) onChange(person, { role });
            },
          })),
        },
        { entries: doings },
      ]}
    />
  );
}

import {
  IconActivity,
  IconEdit,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
  IconUser,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';
import { Moment } from '../../shared/Moment.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { useAllowed } from '../../shared/use-allowed.ts';
import { useFormat } from '../../shared/use-format.ts';
import { showBudgets } from './show-budgets.tsx';
import classes from './Keys.module.css';
import { isOver, type KeyStatus, findKeyStatus } from './status.ts';
import { useKeyChanges } from './use-key-changes.tsx';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

const TONES: Readonly<Record<KeyStatus, MarkTone>> = {
  active: 'good',
  disabled: 'plain',
  expired: 'warn',
  spent: 'bad',
};

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  /** Whose they are; undefined for who looks. */
  readonly account: string | undefined;
  /** All that fit, where these are a page of the list, which the service orders. */
  readonly readAll: (() => Promise<readonly ApiKey[]>) | undefined;
  readonly onChange: (key: ApiKey) => void;
  readonly onOwner: (key: ApiKey) => void;
  readonly onRotate: (key: ApiKey) => void;
}

export function KeyTable({ keys, account, readAll, onChange, onOwner, onRotate }: KeyTableProps) {
  const { t } = useTranslation('keys');
  const { setStatus, remove } = useKeyChanges();
  const format = useFormat();
  const [doomed, doom] = useState<ApiKey | null>(null);
  const managesKeys = useAllowed('keys:write');
  const isOperator = useAllowed('accounts:write');

  const isWhole = readAll === undefined;
  const columns = useMemo((): readonly Column<ApiKey>[] => {
    // A few keys of an account are shown as they come.
    const sorted = (sortBy: 'text' | 'figure') => (isWhole ? {} : { sortBy });
    return [
      {
        id: 'name',
        header: t('columns.key'),
        card: 'title',
        ...sorted('text'),
        cell: (key) => showName(key, t, format),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: (key) => showStatus(key, t),
      },
      {
        id: 'owner',
        header: t('columns.owner'),
        ...sorted('text'),
        cell: (key) => showOwner(key, t),
      },
      { id: 'group', header: t('columns.group'), ...sorted('text'), cell: ({ group }) => group },
      {
        id: 'spent',
        header: t('columns.spent'),
        ...sorted('figure'),
        cell: (key) => showBudgets(key, t, format),
      },
      {
        id: 'used',
        header: t('columns.used'),
        ...sorted('figure'),
        cell: ({ last_used_at: at }) => showWhen(at, 'ago', t),
      },
      {
        id: 'expires',
        header: t('columns.expires'),
        ...sorted('figure'),
        cell: ({ expires_at: at }) => showWhen(at, 'day', t),
      },
      {
        id: 'created',
        header: t('columns.created'),
        isShownLater: true,
        ...sorted('figure'),
        cell: ({ created_at: at }) => showWhen(at, 'day', t),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (key) => (
          <KeyMenu
            apiKey={key}
            account={account}
            managesKeys={managesKeys}
            isOperator={isOperator}
            onStatus={setStatus}
            onChange={() => onChange(key)}
            onOwner={() => onOwner(key)}
            onRotate={() => onRotate(key)}
            onDelete={() => doom(key)}
          />
        ),
      },
    ];
  }, [t, format, account, isWhole, managesKeys, isOperator, setStatus, onChange, onOwner, onRotate]);

  return (
    <>
      <DataTable
        {...(readAll && { id: 'keys', readAll })}
        label={t('title')}
        columns={columns}
        rows={keys}
        rowId={({ id }) => id}
        isFaded={({ status }) => status !== 'active'}
      />
      {doomed && (
        <Suspense>
          <ConfirmDialog
            title={t('deleting.title', { name: doomed.name })}
            about={t('deleting.about')}
            submit={t('deleting.submit')}
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

type T = ReturnType<typeof useTranslation<'keys'>>['t'];
type Format = ReturnType<typeof useFormat>;

function showName(
  { name, masked, strict, temporary, rotated_from: former }: ApiKey,
  t: T,
  format: Format,
): ReactNode {
  return (
    <>
      <div className={classes.name}>{name}</div>
      <div className="tg-note tg-mono">
        {masked}
        {strict && ` · ${t('strictShort')}`}
        {temporary && ` · ${t('temporaryShort')}`}
      </div>
      {former && !isOver(former) && (
        <div className="tg-note">
          {t('former.works', { masked: former.masked, until: format.moment(former.works_until) })}
        </div>
      )}
    </>
  );
}

function showStatus(apiKey: ApiKey, t: T): ReactNode {
  const status = findKeyStatus(apiKey);
  return (
    <>
      <Mark tone={TONES[status]}>{t(`status.${status}`)}</Mark>
      {isHeldDisabled(apiKey) && <div className="tg-note">{t('held.disabled')}</div>}
    </>
  );
}

/** A moment, or that it never comes. */
const showWhen = (at: string | null, as: 'ago' | 'day', t: T): ReactNode =>
  at === null ? <span className="tg-quiet">{t('never')}</span> : <Moment at={at} as={as} />;

/** Whose it is, in a name and an address. */
const showOwner = ({ owner, owner_id: id }: ApiKey, t: T): ReactNode =>
  owner === null ? (
    <span className="tg-quiet">{t(id === null ? 'owners.account' : 'owners.gone')}</span>
  ) : (
    <span title={owner.email}>{owner.name ?? owner.email}</span>
  );

/** Whether an operator disabled it, so that nobody else enables it. */
const isHeldDisabled = (key: ApiKey): boolean =>
  key.status === 'disabled' && key.operator_fields.status !== undefined;

interface KeyMenuProps {
  readonly apiKey: ApiKey;
  readonly account: string | undefined;
  readonly managesKeys: boolean;
  readonly isOperator: boolean;
  readonly onStatus: (key: ApiKey, status: ApiKey['status']) => void;
  readonly onChange: () => void;
  readonly onOwner: () => void;
  readonly onRotate: () => void;
  readonly onDelete: () => void;
}

function KeyMenu({ apiKey, account, managesKeys, isOperator, ...on }: KeyMenuProps) {
  const { onStatus, onChange, onOwner, onRotate, onDelete } = on;
  const { t } = useTranslation('keys');
  const router = useRouter();
  const listSections = () => {
    const isActive = apiKey.status === 'active';
    const switching = {
      label: t(isActive ? 'disable' : 'enable'),
      icon: isActive ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />,
      onClick: () => onStatus(apiKey, isActive ? 'disabled' : 'active'),
    };
    const changes = [
      { label: t('change'), icon: <IconEdit size={16} />, onClick: onChange },
      ...(isOperator ? [{ label: t('owning.open'), icon: <IconUser size={16} />, onClick: onOwner }] : []),
      { label: t('rotate'), icon: <IconRefresh size={16} />, onClick: onRotate },
      ...(isOperator || !isHeldDisabled(apiKey) ? [switching] : []),
    ];
    const removal = { label: t('delete'), icon: <IconTrash size={16} />, isDanger: true, onClick: onDelete };
    const usage = {
      label: t('seeUsage'),
      icon: <IconActivity size={16} />,
      onClick: () =>
        void router.navigate({
          to: '/usage',
          search: { key: apiKey.id, ...(account === undefined ? {} : { account }) },
        }),
    };
    return managesKeys ? [{ entries: [usage, ...changes] }, { entries: [removal] }] : [{ entries: [usage] }];
  };
  return <RowMenu label={t('doings', { name: apiKey.name })} sections={listSections} />;
}

import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Account, accountQuery } from '../../api/accounts.ts';
import { Back } from '../../shared/Back.tsx';
import { Copy } from '../../shared/Copy.tsx';
import { Tile, Tiles } from '../../shared/Figures.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { AccountActions } from './AccountActions.tsx';
import { AccountKeys } from './AccountKeys.tsx';
import { AccountLedger } from './AccountLedger.tsx';
import { creditLeft, isBelowZero } from './status.ts';
import { useAllowed } from '../../shared/use-allowed.ts';

export const page = createLazyRoute('/shell/accounts/$id')({ component: AccountPage });

function AccountPage() {
  const { t } = useTranslation('accounts');
  const { id } = page.useParams();
  const { grant } = page.useSearch();
  const navigate = page.useNavigate();
  const { data: account, error, refetch } = useQuery(accountQuery(id));
  const canManageAllAccounts = useAllowed('accounts:write');
  if (!account) {
    return (
      <Page title={t('one')}>
        <Panel>{error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows />}</Panel>
      </Page>
    );
  }
  return (
    <Page
      title={account.name}
      back={<Back to="/accounts">{t('all')}</Back>}
      about={
        <Group gap="xs" component="span">
          <Mark tone={account.status === 'active' ? 'good' : 'plain'}>{t(`status.${account.status}`)}</Mark>
          <Text span size="xs" className="tg-mono" style={{ overflowWrap: 'anywhere' }}>
            {account.id}
          </Text>
          <Copy text={account.id} what={t('theId')} />
        </Group>
      }
      actions={
        <AccountActions
          key={String(grant)}
          account={account}
          canManageAllAccounts={canManageAllAccounts}
          grantsAtOnce={grant === true}
          onClose={() => grant && void navigate({ search: {}, replace: true })}
        />
      }
    >
      <Standing account={account} />
      <AccountLedger accountId={account.id} />
      {canManageAllAccounts && <AccountKeys accountId={account.id} />}
    </Page>
  );
}

function Standing({ account }: { readonly account: Account }) {
  const { t } = useTranslation('accounts');
  const format = useFormat();
  const left = creditLeft(account);
  const { limits } = account;
  const perMinute = (value: number | null) => (value === null ? t('noLimit') : format.shortCount(value));
  return (
    <Tiles>
      <Tile
        name={t('columns.balance')}
        about={t(isBelowZero(account.balance_usd) ? 'owing' : 'having')}
        {...(isBelowZero(account.balance_usd) ? { tone: 'bad' as const } : {})}
      >
        <span data-testid="balance">{format.exactMoney(account.balance_usd)}</span>
      </Tile>
      <Tile
        name={t('left')}
        about={
          account.mode === 'prepaid'
            ? t('modes.prepaid')
            : account.credit_limit_usd === null
              ? t('owes.anything')
              : t('owes.upTo', { limit: format.exactMoney(account.credit_limit_usd) })
        }
      >
        {left === null ? t('noLimit') : format.shortMoney(left)}
      </Tile>
      <Tile
        name={t('form.requests')}
        about={
          limits.concurrent_requests === null
            ? t('anyNumber')
            : t('concurrently', { count: limits.concurrent_requests })
        }
      >
        {perMinute(limits.requests_per_minute)}
      </Tile>
      <Tile name={t('form.tokens')} about={t('overAllKeys')}>
        {perMinute(limits.tokens_per_minute)}
      </Tile>
      <Tile
        name={t('columns.zone')}
        about={
          account.closed_until === null
            ? t('nothingClosed')
            : t('closedUntil', { date: format.day(account.closed_until) })
        }
      >
        {account.time_zone}
      </Tile>
    </Tiles>
  );
}

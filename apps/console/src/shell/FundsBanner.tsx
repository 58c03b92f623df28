import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountQuery } from '../api/account.ts';
import { summaryQuery } from '../api/summary.ts';
import { creditLeft } from '../pages/accounts/status.ts';
import { findShortage } from './shortage.ts';
import { useFormat } from '../shared/use-format.ts';
import { useAllowed } from '../shared/use-allowed.ts';
import { useLookup } from '../shared/use-lookup.ts';

const RedeemDialog = lazy(() => import('../pages/redeem/RedeemDialog.tsx'));

const REFETCH_MS = 60_000;
const HOURS = 72;

/** Says on every page that the account has no money left, or that it lasts no longer than days, and how to pay. */
export default function FundsBanner({ accountId: id }: { readonly accountId: string }) {
  const { t, ready } = useTranslation('redeem', { keyPrefix: 'funds' });
  const format = useFormat();
  const mayGrant = useAllowed('ledger:write');
  const [isRedeeming, setRedeeming] = useState(false);
  const account = useLookup({ ...accountQuery(id), refetchInterval: REFETCH_MS }).data;
  const left = account ? creditLeft(account) : null;
  const spent = useLookup({
    ...summaryQuery({ hours: HOURS, bucket: 'day', by: 'model' }),
    enabled: left !== null,
  }).data?.total.cost_usd;
  const shortage = left === null ? null : findShortage(left, spent);
  if (shortage === null || left === null || !ready) return null;
  return (
    <Alert
      mb="lg"
      role="status"
      color={shortage === 'out' ? 'red' : 'yellow'}
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={t(`${shortage}.title`, { left: format.shortMoney(left) })}
    >
      <Text size="sm">{t(`${shortage}.about`)}</Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={() => setRedeeming(true)}>
          {t('redeem')}
        </Button>
        {mayGrant && (
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => <Link {...props} to="/accounts/$id" params={{ id }} />}
          >
            {t('grant')}
          </Button>
        )}
      </Group>
      {isRedeeming && (
        <Suspense>
          <RedeemDialog onClose={() => setRedeeming(false)} />
        </Suspense>
      )}
    </Alert>
  );
}

import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../api/account.ts';
import type { PriceBook } from '../api/pricing.ts';
import { sessionQuery } from '../api/session.ts';
import { useAllowed } from './use-allowed.ts';
import { useLookup } from './use-lookup.ts';

/** The price groups that the keys of whoever is signed in may have; operators may take any. */
export function useUsableGroups(book: PriceBook | undefined): readonly string[] {
  const canManageAllAccounts = useAllowed('accounts:write');
  const { data: session } = useQuery(sessionQuery);
  const { data: account } = useLookup({
    ...accountQuery(session?.account_id ?? ''),
    enabled: !canManageAllAccounts && Boolean(session),
  });
  const all = Object.keys(book?.group_ratio ?? {});
  return canManageAllAccounts ? all : all.filter((name) => account?.usable_groups.includes(name));
}

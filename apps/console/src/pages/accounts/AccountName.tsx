import { accountQuery } from '../../api/accounts.ts';
import { useLookup } from '../../shared/use-lookup.ts';

/** What an account is called; its id until that is known. */
export const AccountName = ({ id }: { readonly id: string }) => {
  const { data } = useLookup({ ...accountQuery(id), staleTime: 300_000 });
  return <>{data?.name ?? id}</>;
};

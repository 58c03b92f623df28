import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../../api/accounts.ts';

/** What an account is called; its id until that is known. */
export const AccountName = ({ id }: { readonly id: string }) => {
  const { data } = useQuery({ ...accountQuery(id), staleTime: 300_000 });
  return <>{data?.name ?? id}</>;
};

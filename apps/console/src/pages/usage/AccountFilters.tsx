import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { AccountField } from '../accounts/AccountField.tsx';
import { ALL_ACCOUNTS, type UsageSearch } from './filters.ts';

interface AccountFiltersProps {
  readonly search: UsageSearch;
  readonly onChange: (change: { readonly account: string | undefined; readonly key: undefined }) => void;
}

/** Whose log it is, for operators. */
export default function AccountFilters({ search, onChange }: AccountFiltersProps) {
  const { t } = useTranslation('usage');
  const isAll = search.account === ALL_ACCOUNTS;
  return (
    <>
      <Switch
        mb={8}
        label={t('allAccounts')}
        checked={isAll}
        onChange={({ currentTarget: { checked } }) =>
          onChange({ account: checked ? ALL_ACCOUNTS : undefined, key: undefined })
        }
      />
      <AccountField
        value={isAll ? undefined : search.account}
        placeholder={t(isAll ? 'allAccounts' : 'ownAccount')}
        onChange={(account) => onChange({ account, key: undefined })}
      />
    </>
  );
}

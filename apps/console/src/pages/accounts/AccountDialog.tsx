import { Fieldset, MultiSelect, Radio, SimpleGrid, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { findOwn } from '@tollgate/vocabulary';
import { type Account, ACCOUNTS, changeAccount, createAccount } from '../../api/accounts.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { isAmount } from '../../shared/format.ts';
import { LimitInput } from '../../shared/LimitInput.tsx';
import { TimeZonePicker } from '../../shared/TimeZonePicker.tsx';
import { useRefusedField } from '../../shared/use-refused-field.ts';
import { findLimitField } from '../limits/limit-form.ts';
import { LimitFields } from '../limits/LimitFields.tsx';
import { type AccountForm, emptyForm, findChanges, toBody, toForm } from './account-form.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface AccountDialogProps {
  /** The account that is changed; without one another is made. */
  readonly account?: Account;
  readonly onClose: () => void;
  readonly onDone?: (account: Pick<Account, 'id'>) => void;
}

/** The fields of the dialog by what the service calls them. */
const FIELD_OF: Readonly<Record<string, keyof AccountForm>> = {
  name: 'name',
  mode: 'mode',
  credit_limit_usd: 'creditLimit',
  time_zone: 'timeZone',
  allowed_groups: 'groups',
  max_keys: 'maxKeys',
};
/** Lists are refused by the entry that is wrong, such as `allowed_groups.1`. */
const ENTRY = /\.\d+$/;

export default function AccountDialog({ account, onClose, onDone }: AccountDialogProps) {
  const { t } = useTranslation(['accounts', 'finance']);
  const queryClient = useQueryClient();
  // As it was when it was opened: the page goes on to look at the newest.
  const [before] = useState(() => (account ? toForm(account) : emptyForm));
  const form = useForm<AccountForm>({
    initialValues: before,
    validate: {
      name: (name) => (name.trim() === '' ? t('form.nameRequired') : null),
      creditLimit: (text) =>
        text.trim() === '' || isAmount(text.trim()) ? null : t('amountRequired', { ns: 'finance' }),
    },
  });
  const refused = useRefusedField(
    form,
    (param) => findLimitField(param) ?? findOwn(FIELD_OF, param.replace(ENTRY, '')),
  );
  const saving = useMutation({
    mutationFn: async (values: AccountForm): Promise<Pick<Account, 'id'>> => {
      if (!account) return createAccount(toBody(values));
      const changes = findChanges(before, values);
      return Object.keys(changes).length === 0 ? account : changeAccount(account.id, changes);
    },
    onSuccess: async (saved) => {
      onClose();
      onDone?.(saved);
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS });
    },
    onError: (error) => refused.onError(error),
  });

  return (
    <FormDialog
      title={t(account ? 'change' : 'create')}
      size="lg"
      submit={t(account ? 'form.save' : 'form.submit')}
      error={refused.general(saving.error)}
      isPending={saving.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => saving.mutate(values))}
    >
      <TextInput
        label={t('form.name')}
        placeholder={t('form.nameSuch')}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label={t('form.mode')} {...form.getInputProps('mode')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs">
          {(['prepaid', 'postpaid'] as const).map((mode) => (
            <Radio
              key={mode}
              value={mode}
              label={t(`modes.${mode}`)}
              description={t(`form.modeMeans.${mode}`)}
            />
          ))}
        </SimpleGrid>
      </Radio.Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('form.creditLimit')}
          placeholder={t(form.values.mode === 'prepaid' ? 'form.noCredit' : 'form.noLimit')}
          inputMode="decimal"
          leftSection="$"
          disabled={form.values.mode === 'prepaid'}
          {...form.getInputProps('creditLimit')}
        />
        <TimeZonePicker label={t('form.timeZone')} {...form.getInputProps('timeZone')} />
      </SimpleGrid>
      <Fieldset legend={t('form.limits')}>
        <LimitFields input={(name) => form.getInputProps(`limits.${name}`)} />
      </Fieldset>
      <KeyRules form={form} />
    </FormDialog>
  );
}

/** What its people may do with keys by themselves; operators may go beyond it. */
function KeyRules({ form }: { readonly form: UseFormReturnType<AccountForm> }) {
  const { t } = useTranslation('accounts');
  const book = useLookup(pricesQuery).data;
  const { groups } = form.values;
  return (
    <Fieldset legend={t('form.keys')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <MultiSelect
          label={t('form.groups')}
          description={t('form.groupsMean')}
          placeholder={groups.length === 0 ? t('form.deployments') : ''}
          searchable
          clearable
          hidePickedOptions
          data={[...new Set([...Object.keys(book?.group_ratio ?? {}), ...groups])]}
          {...form.getInputProps('groups')}
          value={[...groups]}
        />
        <LimitInput
          label={t('form.maxKeys')}
          description={t('form.maxKeysMean')}
          placeholder={t('form.deployments')}
          min={0}
          {...form.getInputProps('maxKeys')}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

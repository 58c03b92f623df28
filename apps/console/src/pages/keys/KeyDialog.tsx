import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { findOwn } from '@tollgate/vocabulary';
import { type ApiKey, changeKey, createKey, KEYS, type NewApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { useRefusedField } from '../../shared/use-refused-field.ts';
import { findLimitField } from '../limits/limit-form.ts';
import { KeyFields } from './KeyFields.tsx';
import { toBody, findChanges, emptyForm, toForm, isBudget, type KeyForm } from './key-form.ts';
import { useZone } from '../../shared/use-zone.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface KeyDialogProps {
  /** The key that is changed; without one a key is made. */
  readonly apiKey?: ApiKey;
  readonly onClose: () => void;
  readonly onMade?: (key: NewApiKey) => void;
}

/** The fields of the dialog by what the service calls them. */
const FIELD_OF: Readonly<Record<string, keyof KeyForm>> = {
  name: 'name',
  group: 'group',
  expires_at: 'lastDay',
  'budgets.total_usd': 'total',
  'budgets.daily_usd': 'daily',
  'budgets.monthly_usd': 'monthly',
  models: 'models',
  allowed_addresses: 'addresses',
};
/** Lists are refused by the entry that is wrong, such as `allowed_addresses.1`. */
const ENTRY = /\.\d+$/;

/** Makes a key, or changes what one may do. */
export default function KeyDialog({ apiKey, onClose, onMade }: KeyDialogProps) {
  const { t } = useTranslation('keys');
  const queryClient = useQueryClient();
  const zone = useZone();
  const book = useLookup(pricesQuery).data;
  const budget = (text: string) => (isBudget(text) ? null : t('form.amountRequired'));
  const form = useForm<KeyForm>({
    initialValues: apiKey ? toForm(apiKey, zone) : emptyForm,
    validate: {
      name: (name) => (name.trim() === '' ? t('form.nameRequired') : null),
      total: budget,
      daily: budget,
      monthly: budget,
    },
  });
  const refused = useRefusedField(
    form,
    (param) => findLimitField(param) ?? findOwn(FIELD_OF, param.replace(ENTRY, '')),
  );
  const saving = useMutation({
    mutationFn: async (values: KeyForm) => {
      if (!apiKey) return onMade?.(await createKey(toBody(values, zone)));
      const changes = findChanges(apiKey, values, zone);
      if (Object.keys(changes).length > 0) await changeKey(apiKey.id, changes);
    },
    onSuccess: async () => {
      if (apiKey) onClose();
      await queryClient.invalidateQueries({ queryKey: KEYS });
    },
    onError: (error) => refused.onError(error),
  });

  return (
    <FormDialog
      title={apiKey ? t('changing.title', { name: apiKey.name }) : t('create')}
      size="lg"
      submit={t(apiKey ? 'changing.submit' : 'form.submit')}
      error={refused.general(saving.error)}
      isPending={saving.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => saving.mutate(values))}
    >
      <KeyFields form={form} book={book} held={apiKey?.operator_fields} />
    </FormDialog>
  );
}

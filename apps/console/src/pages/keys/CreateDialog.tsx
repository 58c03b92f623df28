import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import {
  Button,
  Fieldset,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createKey, KEYS, type NewApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { ApiError } from '../../api/result.ts';
import { ratioOf } from '../../shared/format.ts';
import { useErrorText } from '../../shared/States.tsx';
import { bodyOf, emptyForm, isBudget, type KeyForm } from './key-form.ts';

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onMade: (key: NewApiKey) => void;
}

/** The fields of the dialog by what the service calls them. */
const FIELD_OF: Readonly<Record<string, keyof KeyForm>> = {
  name: 'name',
  group: 'group',
  expires_at: 'lastDay',
  'budgets.total_usd': 'total',
  'budgets.daily_usd': 'daily',
  'budgets.monthly_usd': 'monthly',
  'limits.requests_per_minute': 'requests',
  'limits.tokens_per_minute': 'tokens',
};

export default function CreateDialog({ onClose, onMade }: CreateDialogProps) {
  const { t } = useTranslation(['keys', 'common']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('create')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <CreateForm onClose={onClose} onMade={onMade} />
    </Modal>
  );
}

function CreateForm({ onClose, onMade }: CreateDialogProps) {
  const { t, i18n } = useTranslation(['keys', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const book = useQuery(pricesQuery).data;
  const budget = (text: string) => (isBudget(text) ? null : t('form.amountWanted'));
  const form = useForm<KeyForm>({
    initialValues: emptyForm,
    validate: {
      name: (name) => (name.trim() === '' ? t('form.nameWanted') : null),
      total: budget,
      daily: budget,
      monthly: budget,
    },
  });
  const making = useMutation({
    mutationFn: (values: KeyForm) => createKey(bodyOf(values)),
    onSuccess: async (key) => {
      onMade(key);
      await queryClient.invalidateQueries({ queryKey: KEYS });
    },
    onError: (error) => {
      const field = error instanceof ApiError && error.param !== null ? FIELD_OF[error.param] : undefined;
      if (field) form.setFieldError(field, errorText(error));
    },
  });
  const groups = Object.entries(book?.group_ratio ?? { [emptyForm.group]: 1 });
  const isGeneral = making.error && Object.keys(form.errors).length === 0;

  return (
    <form noValidate onSubmit={form.onSubmit((values) => making.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label={t('form.name')}
          placeholder={t('form.nameSuch')}
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label={t('form.group')}
            allowDeselect={false}
            data={groups.map(([name, ratio]) => ({
              value: name,
              label: t('form.groupRatio', { name, ratio: ratioOf(ratio) }),
            }))}
            {...form.getInputProps('group')}
          />
          <DatePickerInput
            label={t('form.lastDay')}
            placeholder={t('never')}
            clearable
            minDate={new Date()}
            locale={i18n.language === 'zh-CN' ? 'zh-cn' : 'en'}
            valueFormat={i18n.language === 'zh-CN' ? 'YYYY年M月D日' : 'MMM D, YYYY'}
            clearButtonProps={{ 'aria-label': t('form.clear') }}
            ariaLabels={{ nextMonth: t('form.nextMonth'), previousMonth: t('form.previousMonth') }}
            {...form.getInputProps('lastDay')}
          />
        </SimpleGrid>
        <Fieldset legend={t('form.budgets')}>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {(['daily', 'monthly', 'total'] as const).map((window) => (
              <TextInput
                key={window}
                label={t(`form.${window}`)}
                placeholder={t('form.noLimit')}
                inputMode="decimal"
                leftSection="$"
                {...form.getInputProps(window)}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
        <Fieldset legend={t('form.limits')}>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {(['requests', 'tokens'] as const).map((limit) => (
              <NumberInput
                key={limit}
                label={t(`form.${limit}`)}
                placeholder={t('form.defaultLimit')}
                min={1}
                max={2_147_483_647}
                allowDecimal={false}
                thousandSeparator=","
                hideControls
                {...form.getInputProps(limit)}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
        <Switch
          label={t('form.strict')}
          description={t('form.strictMeans')}
          {...form.getInputProps('strict', { type: 'checkbox' })}
        />
        {isGeneral && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(making.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit" loading={making.isPending}>
            {t('form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import {
  ActionIcon,
  Button,
  Group,
  MultiSelect,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { accountNamesQuery } from '../../api/account-names.ts';
import { type Published, putDiscounts } from '../../api/catalogue.ts';
import { DialogFrame } from '../upstreams/DialogFrame.tsx';
import { usePublishing, useSeen } from '../upstreams/use-publishing.ts';
import {
  byAccount,
  discountFaults,
  type DiscountForm,
  toDiscountForm,
  toDiscounts,
  newRow,
} from './discount-form.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface DiscountDialogProps {
  readonly live: Published;
  /** The account whose discounts are edited; empty to choose one. */
  readonly account: string;
  readonly onClose: () => void;
}

export default function DiscountDialog({ live: newest, account, onClose }: DiscountDialogProps) {
  const live = useSeen(newest);
  const { t } = useTranslation('discounts');
  const names = useLookup(accountNamesQuery).data;
  const existing = byAccount(live.catalogue);
  const form = useForm<DiscountForm>({
    initialValues: toDiscountForm(existing.find((each) => each.account === account)),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(discountFaults(values)).map(([path, fault]) => [path, t(`faults.${fault}`)]),
      ),
  });
  const publishing = usePublishing((values: DiscountForm) =>
    putDiscounts(live, values.account, toDiscounts(values)),
  );
  const taken = new Set(existing.map((each) => each.account));
  const accounts = [...(names ?? [])].filter(([id]) => id === account || !taken.has(id));
  const models = live.catalogue.models.map(({ name }) => name);
  return (
    <DialogFrame
      title={account === '' ? t('add') : t('editing', { name: names?.get(account) ?? account })}
      error={publishing.error}
      isPending={publishing.isPending}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => publishing.mutate(values, { onSuccess: onClose }))}
    >
      {account === '' && (
        <Select
          label={t('columns.account')}
          required
          searchable
          data={accounts.map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('account')}
        />
      )}
      <Text size="sm" c="dimmed">
        {t('order')}
      </Text>
      <Stack gap="md">
        {form.values.rows.map(({ everyModel, models: chosen }, index) => (
          <Group key={index} gap="sm" align="flex-end">
            <TextInput
              w={120}
              label={t('ratio')}
              required
              leftSection="×"
              inputMode="decimal"
              {...form.getInputProps(`rows.${index}.ratio`)}
            />
            {!everyModel && (
              <MultiSelect
                flex="1 1 14rem"
                label={t('models')}
                required
                searchable
                data={models}
                {...form.getInputProps(`rows.${index}.models`)}
                value={[...chosen]}
              />
            )}
            <Switch
              mb={8}
              label={t('everyModel')}
              {...form.getInputProps(`rows.${index}.everyModel`, { type: 'checkbox' })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              ml="auto"
              disabled={form.values.rows.length === 1}
              aria-label={t('removeRow', { number: index + 1 })}
              onClick={() => form.removeListItem('rows', index)}
            >
              <IconTrash size={17} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
      <Button
        variant="default"
        size="compact-sm"
        w="fit-content"
        leftSection={<IconPlus size={15} />}
        onClick={() => form.insertListItem('rows', { ...newRow, everyModel: false }, 0)}
      >
        {t('addRow')}
      </Button>
    </DialogFrame>
  );
}

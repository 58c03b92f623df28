import { ActionIcon, Button, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountQuery } from '../../api/accounts.ts';
import { type Published, putDiscounts } from '../../api/catalogue.ts';
import { AccountPicker } from '../accounts/AccountPicker.tsx';
import { type Choice, decide } from '../catalogue/use-decision.ts';
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
  const [live, see] = useSeen(newest);
  const { t } = useTranslation('discounts');
  const name = useLookup({ ...accountQuery(account), enabled: account !== '' }).data?.name;
  const existing = byAccount(live.catalogue);
  // Of what came meanwhile it is asked, not refused.
  const [opened] = useState(newest);
  const taken = new Set(account === '' ? byAccount(opened.catalogue).map((each) => each.account) : []);
  const form = useForm<DiscountForm>({
    initialValues: toDiscountForm(existing.find((each) => each.account === account)),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(discountFaults(values, taken)).map(([path, fault]) => [path, t(`faults.${fault}`)]),
      ),
  });
  const publishing = usePublishing((values: DiscountForm) =>
    putDiscounts(live, values.account, toDiscounts(values)),
  );
  const decideOn = (choice: Choice, now: Published) => {
    publishing.reset();
    see(now);
    const theirs = byAccount(now.catalogue).find((each) => each.account === form.getValues().account);
    if (!theirs && choice === 'theirs') return onClose();
    decide(form, choice, theirs && toDiscountForm(theirs), account === '');
  };
  const models = live.catalogue.models.map(({ name }) => name);
  return (
    <DialogFrame
      title={account === '' ? t('add') : t('editing', { name: name ?? account })}
      error={publishing.error}
      isPending={publishing.isPending}
      onDecide={decideOn}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => publishing.mutate(values, { onSuccess: onClose }))}
    >
      {account === '' && (
        <AccountPicker
          label={t('columns.account')}
          placeholder=""
          isRequired
          value={form.values.account === '' ? undefined : form.values.account}
          onChange={(id) => form.setFieldValue('account', id ?? '')}
          error={form.errors['account']}
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

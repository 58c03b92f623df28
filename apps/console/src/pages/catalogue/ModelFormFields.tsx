import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  JsonInput,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LimitFields } from '../limits/LimitFields.tsx';
import { BesideFields } from './BesideFields.tsx';
import { entriesAfter } from './changes.ts';
import type { EntryFormProps } from './entry-form.ts';
import { type ModelForm, modelFaults, toModelForm, toModel } from './model-form.ts';
import { PriceFields } from './PriceFields.tsx';
import { emptyPrices } from './prices.ts';

const TOKENS = {
  min: 1,
  max: 2_147_483_647,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
} as const;
const MAX_TIERS = 8;

const DIALECT_EXAMPLE = JSON.stringify({ cache_marks: 'none' });

export function ModelFormFields({ live, changes, taken, name, onSave, frame }: EntryFormProps) {
  const { t } = useTranslation('catalogue');
  const vendors = entriesAfter(live.catalogue, changes, 'vendors').map((vendor) => vendor.name);
  const all = entriesAfter(live.catalogue, changes, 'models');
  const model = all.find((each) => each.name === name);
  const models = all.map((each) => each.name);
  const form = useForm<ModelForm>({
    initialValues: toModelForm(model, vendors[0] ?? ''),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(modelFaults(values, taken)).map(([path, fault]) => [path, t(`faults.${fault}`)]),
      ),
  });
  const submit = form.onSubmit((values) => onSave({ op: 'put', section: 'models', entry: toModel(values) }));
  const { values } = form;
  return frame(
    submit,
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('fields.name')}
          required
          disabled={model !== undefined}
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <Select
          label={t('fields.vendor')}
          allowDeselect={false}
          data={vendors}
          {...form.getInputProps('vendor')}
        />
      </SimpleGrid>
      <Textarea
        label={t('fields.description')}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={2_000}
        {...form.getInputProps('description')}
      />
      <Fieldset legend={t('pricesOf')}>
        <PriceFields texts={values.prices} input={(kind) => form.getInputProps(`prices.${kind}`)} />
        <TextInput
          mt="sm"
          maw={{ xs: 260 }}
          label={t('fields.request_price')}
          placeholder={t('free')}
          leftSection="$"
          inputMode="decimal"
          {...form.getInputProps('requestPrice')}
        />
      </Fieldset>
      {values.tiers.map((tier, index) => (
        <Fieldset key={index} legend={t('tier', { number: index + 1 })}>
          <Stack gap="sm">
            <Group align="flex-end" justify="space-between" wrap="nowrap">
              <NumberInput
                flex={1}
                maw={{ xs: 260 }}
                label={t('fields.above_input_tokens')}
                required
                {...TOKENS}
                {...form.getInputProps(`tiers.${index}.above`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('removeTier', { number: index + 1 })}
                onClick={() => form.removeListItem('tiers', index)}
              >
                <IconTrash size={17} />
              </ActionIcon>
            </Group>
            <PriceFields
              texts={tier.prices}
              input={(kind) => form.getInputProps(`tiers.${index}.prices.${kind}`)}
            />
          </Stack>
        </Fieldset>
      ))}
      {values.tiers.length < MAX_TIERS && (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={15} />}
            onClick={() => form.insertListItem('tiers', { above: '', prices: emptyPrices })}
          >
            {t('addTier')}
          </Button>
          <Text size="xs" c="dimmed">
            {t('tierMeans')}
          </Text>
        </Group>
      )}
      <BesideFields form={form} models={models} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label={t('fields.context_window')}
          description={t('contextMeans')}
          placeholder={t('unknown')}
          {...TOKENS}
          {...form.getInputProps('context')}
        />
        <NumberInput
          label={t('fields.max_output_tokens')}
          description={t('maxOutputMeans')}
          placeholder={t('unknown')}
          required={values.isNew}
          {...TOKENS}
          {...form.getInputProps('maxOutput')}
        />
      </SimpleGrid>
      <Fieldset legend={t('limits.ofModel')}>
        <LimitFields input={(limit) => form.getInputProps(`limits.${limit}`)} />
      </Fieldset>
      <JsonInput
        label={t('fields.dialect')}
        description={t('dialectMeans')}
        placeholder={DIALECT_EXAMPLE}
        autosize
        minRows={2}
        maxRows={10}
        {...form.getInputProps('dialect')}
      />
      <TagsInput label={t('fields.tags')} {...form.getInputProps('tags')} value={[...values.tags]} />
    </>,
  );
}

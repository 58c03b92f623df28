import {
  Fieldset,
  JsonInput,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { MODEL_OPERATIONS } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { LimitFields } from '../limits/LimitFields.tsx';
import { FeatureFields } from './FeatureFields.tsx';
import { entriesAfter, findEntry } from './changes.ts';
import { decide } from './use-decision.ts';
import type { EntryFormProps } from './entry-form.ts';
import {
  type ModelForm,
  findPriceSource,
  modelFaults,
  needsMaxOutput,
  toModelForm,
  toModel,
} from './model-form.ts';
import { priceListPart, TokenPriceFields } from './PriceListFields.tsx';

const TOKENS = {
  min: 1,
  max: 2_147_483_647,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
} as const;

const DIALECT_EXAMPLE = JSON.stringify({ cache_marks: 'none' });

export function ModelFormFields({ live, changes, taken, name, suggested, onSave, frame }: EntryFormProps) {
  const { t } = useTranslation(['catalogue', 'catalogue-form']);
  const vendors = entriesAfter(live.catalogue, changes, 'vendors').map((vendor) => vendor.name);
  const all = entriesAfter(live.catalogue, changes, 'models');
  const model = all.find((each) => each.name === name);
  const models = all.map((each) => each.name);
  const form = useForm<ModelForm>({
    initialValues: toModelForm(model, vendors[0] ?? '', suggested),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(modelFaults(values, taken)).map(([path, fault]) => [
          path,
          t(`faults.${fault}`, { ns: 'catalogue-form' }),
        ]),
      ),
  });
  const submit = form.onSubmit((values) => onSave({ op: 'put', section: 'models', entry: toModel(values) }));
  const { values } = form;
  const source = findPriceSource(values);
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
          data={[...new Set([...vendors, values.vendor])]}
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
      <OperationsField form={form} />
      <TokenPriceFields form={priceListPart(form)} values={values} />
      {source && (
        <Text size="xs" c="dimmed">
          {t('pricesFrom', { ns: 'catalogue-form', source: source.source, date: source.date })}
        </Text>
      )}
      <FeatureFields form={form} models={models} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label={t('fields.context_window')}
          description={t('contextMeans', { ns: 'catalogue-form' })}
          placeholder={t('unknown')}
          {...TOKENS}
          {...form.getInputProps('context')}
        />
        <NumberInput
          label={t('fields.max_output_tokens')}
          description={t('maxOutputMeans', { ns: 'catalogue-form' })}
          placeholder={t('unknown')}
          required={needsMaxOutput(values)}
          {...TOKENS}
          {...form.getInputProps('maxOutput')}
        />
      </SimpleGrid>
      <Fieldset legend={t('limits.ofModel')}>
        <LimitFields input={(limit) => form.getInputProps(`limits.${limit}`)} />
      </Fieldset>
      <JsonInput
        label={t('fields.dialect')}
        description={t('dialectMeans', { ns: 'catalogue-form' })}
        placeholder={DIALECT_EXAMPLE}
        autosize
        minRows={2}
        maxRows={10}
        {...form.getInputProps('dialect')}
      />
      <TagsInput label={t('fields.tags')} {...form.getInputProps('tags')} value={[...values.tags]} />
    </>,
    (choice, now) => {
      const theirs = findEntry(now, 'models', name);
      decide(form, choice, theirs && toModelForm(theirs, ''), model === undefined);
    },
  );
}

function OperationsField({ form }: { readonly form: UseFormReturnType<ModelForm> }) {
  const { t } = useTranslation('operations');
  const operationName = useOperationName();
  return (
    <MultiSelect
      label={t('purpose')}
      description={t('purposeMeans')}
      placeholder={form.values.operations.length === 0 ? operationName('generate') : ''}
      data={MODEL_OPERATIONS.map((operation) => ({ value: operation, label: operationName(operation) }))}
      clearable
      {...form.getInputProps('operations')}
      value={[...form.values.operations]}
    />
  );
}

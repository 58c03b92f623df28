import {
  Accordion,
  Button,
  FileInput,
  Group,
  Modal,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFileTypeCsv } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { INVOICE_COLUMNS } from '@tollgate/vocabulary';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RECONCILIATIONS, reconcile, reconciliationQuery } from '../../api/reconciliation.ts';
import { useUnsaved } from '../../shared/use-unsaved.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { TimeZonePicker } from '../../shared/TimeZonePicker.tsx';
import { emptyCompareForm, isTolerance, type CompareForm, toParams } from './compare-form.ts';

interface CompareDialogProps {
  readonly onClose: () => void;
  readonly onDone: (id: string) => void;
}

/** Takes an upstream's invoice and compares it with our usage. */
export default function CompareDialog(props: CompareDialogProps) {
  const { t } = useTranslation(['reconciliation', 'common']);
  const unsaved = useUnsaved(props.onClose);
  return (
    <Modal
      opened
      onClose={unsaved.close}
      closeOnClickOutside={false}
      title={t('compare')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack onChange={unsaved.onChange}>
        <CompareForm {...props} />
        {unsaved.question}
      </Stack>
    </Modal>
  );
}

function CompareForm({ onClose, onDone }: CompareDialogProps) {
  const { t } = useTranslation(['reconciliation', 'common']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const [file, setFile] = useState<File | null>(null);
  const [isMissing, setMissing] = useState(false);
  const form = useForm<CompareForm>({
    initialValues: emptyCompareForm,
    validate: {
      upstream: (name) => (name.trim() === '' ? t('form.upstreamRequired') : null),
      tolerance: (text) => (isTolerance(text) ? null : t('form.toleranceRequired')),
    },
  });
  const comparing = useMutation({
    mutationFn: async ({ from, values }: { from: File; values: CompareForm }) =>
      reconcile(await from.text(), toParams(values)),
    onSuccess: async (made) => {
      queryClient.setQueryData(reconciliationQuery(made.id).queryKey, made);
      onDone(made.id);
      await queryClient.invalidateQueries({ queryKey: RECONCILIATIONS });
    },
  });
  const submit = (values: CompareForm) => {
    setMissing(file === null);
    if (file) comparing.mutate({ from: file, values });
  };

  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack gap="md">
        <FileInput
          label={t('form.file')}
          description={t('form.fileMeans')}
          placeholder={t('form.fileSuch')}
          accept="text/csv,.csv"
          leftSection={<IconFileTypeCsv size={17} />}
          required
          clearable
          clearButtonProps={{ 'aria-label': t('form.clear') }}
          value={file}
          onChange={setFile}
          error={isMissing && file === null ? t('form.fileRequired') : null}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput
            label={t('form.upstream')}
            placeholder={t('form.upstreamSuch')}
            required
            {...form.getInputProps('upstream')}
          />
          <TimeZonePicker label={t('form.timeZone')} {...form.getInputProps('timeZone')} />
          <TextInput
            label={t('form.tolerance')}
            inputMode="decimal"
            rightSection="%"
            {...form.getInputProps('tolerance')}
          />
        </SimpleGrid>
        <Switch
          label={t('form.includesCached')}
          description={t('form.includesCachedMeans')}
          {...form.getInputProps('includesCached', { type: 'checkbox' })}
        />
        <Accordion variant="contained">
          <Accordion.Item value="columns">
            <Accordion.Control>{t('form.columns')}</Accordion.Control>
            <Accordion.Panel>
              <Text size="xs" c="dimmed" mb="xs">
                {t('form.columnsMean')}
              </Text>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
                {INVOICE_COLUMNS.map((column) => (
                  <TextInput
                    key={column}
                    size="xs"
                    label={t(`columns.${column}`)}
                    placeholder={column}
                    {...form.getInputProps(`columns.${column}`)}
                  />
                ))}
              </SimpleGrid>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {comparing.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(comparing.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button type="submit" loading={comparing.isPending}>
            {t('form.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

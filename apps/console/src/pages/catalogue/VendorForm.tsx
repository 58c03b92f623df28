import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Vendor } from '../../api/catalogue.ts';
import { entriesAfter, findEntry } from './changes.ts';
import { decide } from './use-decision.ts';
import type { EntryFormProps } from './entry-form.ts';

export function VendorForm({ live, changes, taken, name, onSave, frame }: EntryFormProps) {
  const { t } = useTranslation(['catalogue', 'catalogue-form']);
  const vendor = entriesAfter(live.catalogue, changes, 'vendors').find((each) => each.name === name);
  const form = useForm<Vendor>({
    initialValues: vendor ?? { name: '', description: '', icon: '' },
    validate: {
      name: (text) => {
        if (text.trim() === '') return t('faults.nameRequired', { ns: 'catalogue-form' });
        return taken.has(text.trim()) ? t('faults.nameTaken', { ns: 'catalogue-form' }) : null;
      },
    },
  });
  return frame(
    form.onSubmit(({ name: text, description, icon }) =>
      onSave({
        op: 'put',
        section: 'vendors',
        entry: { name: text.trim(), description: description.trim(), icon },
      }),
    ),
    <>
      <TextInput
        label={t('fields.name')}
        required
        disabled={vendor !== undefined}
        maxLength={128}
        {...form.getInputProps('name')}
      />
      <Textarea
        label={t('fields.description')}
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps('description')}
      />
    </>,
    (choice, now) => {
      const theirs = findEntry(now, 'vendors', name);
      decide(form, choice, theirs && theirs, vendor === undefined);
    },
  );
}

import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { draftsQuery } from '../../api/drafts.ts';

interface TargetDraftProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error?: string | undefined;
}

/** The draft that a change goes into, where none is looked at: one that is open, or a new one. */
export function TargetDraft({ value, onChange, error }: TargetDraftProps) {
  const { t } = useTranslation('catalogue');
  const open = (useQuery(draftsQuery).data ?? []).filter(({ status }) => status === 'open');
  return (
    <Autocomplete
      label={t('draft.into')}
      description={t('draft.intoMeans')}
      data={open.map(({ name }) => name)}
      value={value}
      onChange={onChange}
      error={error}
      required
      maxLength={128}
    />
  );
}

/** A name for a draft that is begun today. */
export function freshName(prefix: string, today = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${prefix}-${today.getFullYear()}-${two(today.getMonth() + 1)}-${two(today.getDate())}`;
}

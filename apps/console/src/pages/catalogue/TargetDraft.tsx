import { Autocomplete } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { draftsQuery } from '../../api/drafts.ts';
import { useLookup } from '../../shared/use-lookup.ts';

interface TargetDraftProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error?: string | undefined;
  /** No name is proposed yet: one that came while somebody types would mix with theirs. */
  readonly isLoading?: boolean;
}

/** The draft that a change goes into, where none is looked at: one that is open, or a new one. */
export function TargetDraft({ value, onChange, error, isLoading = false }: TargetDraftProps) {
  const { t } = useTranslation('catalogue');
  const open = (useLookup(draftsQuery).data ?? []).filter(({ status }) => status === 'open');
  return (
    <Autocomplete
      label={t('draft.into')}
      description={t('draft.intoMeans')}
      data={open.map(({ name }) => name)}
      value={value}
      onChange={onChange}
      error={error}
      disabled={isLoading}
      required
      maxLength={128}
    />
  );
}

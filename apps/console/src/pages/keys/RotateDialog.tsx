import { Select, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiKey, KEYS, type NewApiKey, rotateKey } from '../../api/keys.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';

interface RotateDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onRotated: (key: NewApiKey) => void;
}

/** Seconds for which the secret before works beside the new one; the last is the longest there is. */
const OVERLAPS = { none: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const;
const NAMES = ['none', 'hour', 'day', 'week', 'month'] as const;
type Overlap = keyof typeof OVERLAPS;

/** Gives a key a new secret, after it was said how long programs with the one before go on. */
export default function RotateDialog({ apiKey, onClose, onRotated }: RotateDialogProps) {
  const { t } = useTranslation('keys');
  const queryClient = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>('day');
  const rotating = useMutation({
    mutationFn: () => rotateKey(apiKey.id, { overlap_s: OVERLAPS[overlap] }),
    onSuccess: async (made) => {
      onRotated(made);
      await queryClient.invalidateQueries({ queryKey: KEYS });
    },
  });

  return (
    <FormDialog
      title={t('rotating.title', { name: apiKey.name })}
      submit={t('rotating.submit')}
      error={rotating.error}
      isPending={rotating.isPending}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        rotating.mutate();
      }}
    >
      <Text size="sm">{t('rotating.about')}</Text>
      <Select
        label={t('rotating.overlap')}
        description={t('rotating.overlapMeans')}
        data-autofocus
        allowDeselect={false}
        data={NAMES.map((name) => ({ value: name, label: t(`rotating.overlaps.${name}`) }))}
        value={overlap}
        onChange={(chosen) => setOverlap(NAMES.find((name) => name === chosen) ?? overlap)}
      />
    </FormDialog>
  );
}

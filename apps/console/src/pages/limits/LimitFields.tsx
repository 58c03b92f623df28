import { Button, type NumberInputProps, SimpleGrid, Stack } from '@mantine/core';
import { UNIT_KINDS } from '@tollgate/vocabulary';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LimitInput } from '../../shared/LimitInput.tsx';
import { type LimitName, LIMITS } from './limit-form.ts';

interface LimitFieldsProps {
  /** What ties a field to the form; may say more of it than its label. */
  readonly input: (name: LimitName, label: string) => NumberInputProps;
}

/** Fields for requests and tokens a minute, and requests at once; those of units are shown where some are set or asked for. */
export function LimitFields({ input }: LimitFieldsProps) {
  const { t } = useTranslation(['limits', 'meter-kinds']);
  const [showsUnits, setShowsUnits] = useState(() =>
    UNIT_KINDS.some((kind) => (input(kind, kind).value ?? '') !== ''),
  );
  const bind = (name: LimitName, label: string) => ({
    label,
    placeholder: t('fields.none'),
    ...input(name, label),
  });
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {LIMITS.map((name) => (
          <LimitInput key={name} {...bind(name, t(`fields.${name}`))} />
        ))}
        {showsUnits &&
          UNIT_KINDS.map((kind) => (
            <LimitInput
              key={kind}
              {...bind(kind, t('fields.perMinute', { unit: t(kind, { ns: 'meter-kinds' }) }))}
            />
          ))}
      </SimpleGrid>
      {!showsUnits && (
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setShowsUnits(true)}
        >
          {t('fields.moreUnits')}
        </Button>
      )}
    </Stack>
  );
}

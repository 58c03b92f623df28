import { type NumberInputProps, SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LimitInput } from '../../shared/LimitInput.tsx';
import { type LimitName, LIMITS } from './limit-form.ts';

interface LimitFieldsProps {
  /** What ties a field to the form. */
  readonly input: (name: LimitName) => NumberInputProps;
}

/** Fields for requests and tokens a minute, and requests at once. */
export function LimitFields({ input }: LimitFieldsProps) {
  const { t } = useTranslation('limits');
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      {LIMITS.map((name) => (
        <LimitInput key={name} label={t(`fields.${name}`)} placeholder={t('fields.none')} {...input(name)} />
      ))}
    </SimpleGrid>
  );
}

import { Group, type InputWrapperProps } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ApiKey, HeldField } from '../../api/keys.ts';
import { useAllowed } from '../../shared/use-allowed.ts';
import { useFormat } from '../../shared/use-format.ts';

type FieldProps = Pick<InputWrapperProps, 'label' | 'description' | 'inputWrapperOrder'> & {
  readonly disabled?: boolean;
};

/**
 * The label of a field of a key, with a lock and the reason where an operator set it. Of a group there is no part, so
 * that nobody else changes it; of what has a measure others may take less.
 */
export function useHeldFields(held: ApiKey['operator_fields'] = {}) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const isOperator = useAllowed('accounts:write');
  return (field: HeldField, label: string, about?: string): FieldProps => {
    const entry = held[field];
    if (!entry) return { label, description: about };
    const isLocked = field === 'group' && !isOperator;
    const reason = isOperator ? 'held.byOperators' : isLocked ? 'held.locked' : 'held.further';
    return {
      label: (
        <Group component="span" display="inline-flex" gap={4} align="center">
          {label}
          <IconLock size={13} aria-hidden />
        </Group>
      ),
      description: t(reason, { by: entry.by, day: format.day(entry.at) }),
      inputWrapperOrder: ['label', 'input', 'error', 'description'],
      disabled: isLocked,
    };
  };
}

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ChangedMeanwhile } from '../../api/changed-meanwhile.ts';
import { ApiError } from '../../api/result.ts';
import { useErrorText } from '../../shared/States.tsx';

interface DraftErrorProps {
  readonly error: Error | null;
  /** The draft that was written to. */
  readonly draft: string;
}

/** Why a draft could not be written, beside the button that tried. */
export function DraftError({ error, draft }: DraftErrorProps) {
  const { t } = useTranslation('catalogue');
  const errorText = useErrorText();
  if (!error) return null;
  const isClosed =
    error instanceof ApiError &&
    !(error instanceof ChangedMeanwhile) &&
    (error.status === 409 || error.status === 412);
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)" flex="1 1 12rem">
      {isClosed ? t('draft.closed', { draft }) : errorText(error)}
    </Text>
  );
}

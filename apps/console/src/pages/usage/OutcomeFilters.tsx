import { MODEL_OPERATIONS } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../shared/Choice.tsx';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { ERROR_CODES, LIMITS } from './entry.ts';
import type { UsageSearch } from './filters.ts';
import { useCodeName } from './use-code-name.ts';

const CLASSES = ['error', '2xx', '4xx', '5xx'] as const;
const STATUSES = ['400', '401', '408', '409', '413', '422', '429', '499', '500', '502', '503', '504'];

interface OutcomeFiltersProps {
  readonly search: UsageSearch;
  readonly onChange: (change: { [name in keyof UsageSearch]?: string | undefined }) => void;
}

/** How requests ended, and what they asked for. */
export default function OutcomeFilters({ search, onChange }: OutcomeFiltersProps) {
  const { t } = useTranslation(['usage', 'operations']);
  const codeName = useCodeName();
  const operationName = useOperationName();
  const { status, code, limit, operation } = search;
  const isOwn =
    status !== undefined && !STATUSES.includes(status) && !CLASSES.some((each) => each === status);
  return (
    <>
      <Choice
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('status')}
        placeholder={t('everyStatus')}
        clearable
        data={[
          ...CLASSES.map((value) => ({ value, label: t(`classes.${value}`) })),
          ...STATUSES,
          ...(isOwn ? [status] : []),
        ]}
        value={status ?? null}
        onChange={(value) => onChange({ status: value ?? undefined })}
      />
      <Choice
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('error')}
        placeholder={t('everyError')}
        clearable
        searchable
        data={[...new Set([...ERROR_CODES, ...(code === undefined ? [] : [code])])].map((value) => ({
          value,
          label: codeName(value),
        }))}
        value={code ?? null}
        onChange={(value) => onChange({ code: value ?? undefined })}
      />
      <Choice
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('limit')}
        placeholder={t('everyLimit')}
        clearable
        data={LIMITS.map((value) => ({ value, label: t(`limits.${value}`) }))}
        value={limit ?? null}
        onChange={(value) => onChange({ limit: value ?? undefined })}
      />
      <Choice
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('operation', { ns: 'operations' })}
        placeholder={t('everyOperation')}
        clearable
        data={MODEL_OPERATIONS.map((value) => ({ value, label: operationName(value) }))}
        value={operation ?? null}
        onChange={(value) => onChange({ operation: value ?? undefined })}
      />
    </>
  );
}

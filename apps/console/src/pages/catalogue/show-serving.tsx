import type { ModelServing } from '@tollgate/catalogue/serving';
import type { ReactNode } from 'react';
import type { useTranslation } from 'react-i18next';
import { Mark } from '../../shared/Mark.tsx';

/** The pools that serve a model, or why nobody can call it. */
export function showServing(
  serving: ModelServing | undefined,
  t: ReturnType<typeof useTranslation<'catalogue'>>['t'],
): ReactNode {
  if (!serving) return '–';
  const { groups, pools, unserved } = serving;
  if (groups.length === 0) return <Mark tone="warn">{t('serving.noGroup')}</Mark>;
  if (pools.length === 0) return <Mark tone="warn">{t('serving.noPool')}</Mark>;
  const isOne = pools.length === 1 && unserved.length === 0;
  return (
    <>
      {pools.map(({ pool, groups: of }) => (
        <div key={pool}>{isOne ? pool : t('serving.of', { pool, groups: of.join(', ') })}</div>
      ))}
      {unserved.length > 0 && (
        <div className="tg-note">{t('serving.missing', { groups: unserved.join(', ') })}</div>
      )}
    </>
  );
}

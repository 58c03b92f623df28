import { AUDIT_ACTIONS } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/audit-log.ts';
import { useFormat } from '../../shared/use-format.ts';
import { findSubject, listChanges, listPublished } from './describe-entry.ts';

interface EntryText {
  /** What was done, such as “Key “ci” of Anna was created”. */
  readonly said: string;
  /** What that changed; empty where the sentence says it all. */
  readonly details: string;
}

const MAX_DETAILS = 3;
/** The words of an action, whose dots would be levels of the catalogue. */
const toWords = (action: (typeof AUDIT_ACTIONS)[number]) => action.replaceAll('.', '_') as Words;
type Underscored<A extends string> = A extends `${infer Head}.${infer Tail}`
  ? `${Head}_${Underscored<Tail>}`
  : A;
type Words = Underscored<(typeof AUDIT_ACTIONS)[number]>;

/** Entries in sentences. */
export function useEntryText(): (entry: AuditEntry) => EntryText {
  const { t } = useTranslation('audit-actions');
  const format = useFormat();
  return useCallback(
    (entry) => {
      const action = AUDIT_ACTIONS.find((each) => each === entry.action);
      const { name, owner } = findSubject(entry);
      const amount = entry.after?.['amount_usd'];
      const isQuoted = /^(?:key|account|draft|credential|upstream)\b/.test(entry.action);
      const quoted =
        owner !== undefined ? t('owned', { name, owner }) : isQuoted ? t('quoted', { name }) : name;
      const said = action
        ? t(`said.${toWords(action)}`, {
            name: name === undefined ? t('somebody') : quoted,
            account: entry.account_name ?? t('someAccount'),
            amount: typeof amount === 'string' ? format.exactMoney(amount) : '',
            corrects: String(entry.after?.['corrects'] ?? ''),
          })
        : entry.action;
      const changes = [
        ...listChanges(entry).map(({ field, before, after }) => {
          const known = t(`fields.${field as 'name'}`, { defaultValue: field });
          return before === undefined
            ? known
            : t('becomes', { field: known, before: before ?? t('none'), after: after ?? t('none') });
        }),
        ...listPublished(entry).map(({ name: changed, change }) =>
          t(`catalogue.${change as 'added'}`, { name: changed }),
        ),
      ];
      const more = changes.length - MAX_DETAILS;
      const details = more > 0 ? [...changes.slice(0, MAX_DETAILS), t('more', { count: more })] : changes;
      return { said, details: details.join(' · ') };
    },
    [t, format],
  );
}

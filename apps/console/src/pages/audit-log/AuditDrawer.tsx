import { Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/audit-log.ts';
import { Figure, Figures } from '../../shared/Figures.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './AuditLog.module.css';
import { useEntryText } from './use-entry-text.ts';

interface AuditDrawerProps {
  readonly entry: AuditEntry | null;
  readonly onClose: () => void;
}

/** Everything that is known of one entry: who, from where, and what it changed. */
export default function AuditDrawer({ entry, onClose }: AuditDrawerProps) {
  const textOf = useEntryText();
  return (
    <SideDrawer of={entry} onClose={onClose} title={(shown) => textOf(shown).said}>
      {(shown) => <Facts entry={shown} />}
    </SideDrawer>
  );
}

function Facts({ entry }: { readonly entry: AuditEntry }) {
  const { t } = useTranslation('audit-log');
  const format = useFormat();
  const facts: readonly (readonly [string, string | null])[] = [
    [t('columns.at'), format.moment(entry.at)],
    [t('columns.actor'), entry.actor],
    [t('role'), entry.role],
    [t('columns.name'), entry.action],
    [t('columns.object'), entry.object],
    [t('account'), entry.account_name ?? entry.account_id],
    [t('reason'), entry.reason],
    [t('address'), entry.address],
    [t('requestId'), entry.request_id],
    [t('service'), entry.source],
  ];
  return (
    <Stack gap="lg">
      <Figures>
        {facts.map(([name, value]) =>
          value === null ? null : (
            <Figure key={name} name={name}>
              {value}
            </Figure>
          ),
        )}
      </Figures>
      <section>
        <Title order={2} mb="xs">
          {t('changed')}
        </Title>
        <Changes entry={entry} />
      </section>
    </Stack>
  );
}

function Changes({ entry: { before, after } }: { readonly entry: AuditEntry }) {
  const { t } = useTranslation('audit-log');
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('nothingChanged')}
      </Text>
    );
  const textOf = (fields: AuditEntry['before'], name: string): string => {
    const value = fields?.[name];
    if (value === undefined || value === null) return '–';
    return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  };
  return (
    <table className={classes.changes}>
      <thead>
        <tr>
          <th scope="col">{t('field')}</th>
          {before && <th scope="col">{t('before')}</th>}
          {after && <th scope="col">{t(before ? 'after' : 'value')}</th>}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row" className="tg-mono">
              {name}
            </th>
            {before && <td className="tg-mono">{textOf(before, name)}</td>}
            {after && <td className="tg-mono">{textOf(after, name)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

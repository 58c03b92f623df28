import { Drawer, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/audit-log.ts';
import { useFormat } from '../../shared/use-format.ts';
import classes from './AuditLog.module.css';

interface AuditDrawerProps {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}

/** Everything that is known of one entry: who, from where, and what it changed. */
export default function AuditDrawer({ entry, onClose }: AuditDrawerProps) {
  const { t } = useTranslation(['audit-log', 'common']);
  const format = useFormat();
  const facts: readonly (readonly [string, string | null])[] = [
    [t('columns.at'), format.moment(entry.at)],
    [t('columns.actor'), entry.actor],
    [t('role'), entry.role],
    [t('columns.object'), entry.object],
    [t('account'), entry.account_id],
    [t('reason'), entry.reason],
    [t('address'), entry.address],
    [t('requestId'), entry.request_id],
    [t('service'), entry.source],
  ];
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={560}
      title={<span className="tg-mono">{entry.action}</span>}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack gap="lg">
        <dl className={classes.figures}>
          {facts.map(([name, value]) =>
            value === null ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
        <section>
          <Title order={2} mb="xs">
            {t('changed')}
          </Title>
          <Changes entry={entry} />
        </section>
      </Stack>
    </Drawer>
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

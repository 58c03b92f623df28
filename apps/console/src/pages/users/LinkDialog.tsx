import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { MadeLink } from '../../api/members.ts';
import { Copy } from '../../shared/Copy.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Users.module.css';

interface LinkDialogProps {
  readonly made: MadeLink;
  readonly kind: 'invite' | 'reset';
  readonly onClose: () => void;
}

/** Shows a link the only time that it can be shown. */
export default function LinkDialog({ made, kind, onClose }: LinkDialogProps) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const address = `${window.location.origin}${made.path}`;
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={t(kind === 'invite' ? 'made.invite' : 'made.reset', { email: made.email })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack gap="md">
        <Text size="sm">{t('made.about', { until: format.moment(made.expires_at) })}</Text>
        <div className={classes.link}>
          <code className="tg-mono" data-testid="made-link">
            {address}
          </code>
          <Copy text={address} what={t('made.link')} />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('made.kept')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Copy } from '../../shared/Copy.tsx';
import { saveText } from '../../shared/save-text.ts';
import type { MadeBatch } from './batch-form.ts';
import classes from './RedemptionCodes.module.css';

interface NewCodesDialogProps {
  readonly made: MadeBatch;
  readonly onClose: () => void;
}

/** Shows codes the only time that they can be shown. It closes for those who say that they have them. */
export default function NewCodesDialog({ made, onClose }: NewCodesDialogProps) {
  const { t } = useTranslation('redemption-codes');
  const [isKept, setKept] = useState(false);
  const text = made.codes.join('\n');
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={t('new.title', { count: made.codes.length })}
    >
      <Stack>
        <Text size="sm">{t('new.about')}</Text>
        {/* Long lists scroll, also by keyboard. */}
        <pre className={classes.codes} data-testid="new-codes" tabIndex={0} aria-label={t('new.codes')}>
          {text}
        </pre>
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => saveText(`${text}\n`, `redemption-codes-${made.id}.txt`)}
          >
            {t('new.download')}
          </Button>
          <Copy text={text} what={t('new.codes')} />
        </Group>
        <Checkbox
          label={t('new.kept')}
          checked={isKept}
          onChange={({ currentTarget: { checked } }) => setKept(checked)}
        />
        <Group justify="flex-end">
          <Button disabled={!isKept} onClick={onClose}>
            {t('new.done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

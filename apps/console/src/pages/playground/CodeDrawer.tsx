import { Drawer, Stack, Tabs, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../shared/CodeBlock.tsx';
import { CODE_LANGUAGES, codeFor } from './code.ts';
import type { Exchange } from './conversation.ts';

interface CodeDrawerProps {
  readonly exchange: Exchange;
  readonly onClose: () => void;
}

/** A request as code that sends the same. */
export default function CodeDrawer({ exchange, onClose }: CodeDrawerProps) {
  const { t } = useTranslation(['playground', 'common']);
  const { format, model, request } = exchange;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={640}
      title={t('code.title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('code.about')}
        </Text>
        {request && (
          <Tabs defaultValue="curl" keepMounted={false}>
            <Tabs.List aria-label={t('code.language')}>
              {CODE_LANGUAGES.map(({ id, name }) => (
                <Tabs.Tab key={id} value={id}>
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {CODE_LANGUAGES.map(({ id }) => (
              <Tabs.Panel key={id} value={id} pt="sm">
                <CodeBlock
                  code={codeFor(id, { format, model, request, origin: window.location.origin })}
                  what={t('code.copy')}
                />
              </Tabs.Panel>
            ))}
          </Tabs>
        )}
      </Stack>
    </Drawer>
  );
}

import { Button, Group, Modal, Stack, Tabs, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { NewApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { CodeBlock } from '../../shared/CodeBlock.tsx';
import { Copy } from '../../shared/Copy.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { modelsFor, SNIPPETS } from './snippets.ts';
import { isOver } from './status.ts';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Keys.module.css';

interface NewKeyDialogProps {
  readonly made: NewApiKey;
  readonly onClose: () => void;
}

/** Shows a key the only time that it can be shown, with what to paste into a client. */
export default function NewKeyDialog({ made, onClose }: NewKeyDialogProps) {
  const { t } = useTranslation(['keys', 'common']);
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={made.rotated_from ? t('made.rotated', { name: made.name }) : t('made.title')}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Made apiKey={made} onClose={onClose} />
    </Modal>
  );
}

function Made({ apiKey, onClose }: { readonly apiKey: NewApiKey; readonly onClose: () => void }) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const book = useLookup(pricesQuery).data;
  const former = apiKey.rotated_from;
  const facts = { origin: window.location.origin, key: apiKey.key, ...modelsFor(book, apiKey) };
  return (
    <Stack gap="md">
      <Text size="sm">{t('made.about')}</Text>
      {former && (
        <Text size="sm">
          {isOver(former)
            ? t('former.over', { masked: former.masked })
            : t('former.works', { masked: former.masked, until: format.moment(former.works_until) })}
        </Text>
      )}
      <div className={classes.secret}>
        <code className="tg-mono" data-testid="new-key">
          {apiKey.key}
        </code>
        <Copy text={apiKey.key} what={t('made.key')} />
      </div>
      <Tabs
        defaultValue={SNIPPETS[0]?.id ?? null}
        keepMounted={false}
        variant="pills"
        classNames={{ tab: classes.tab }}
      >
        <Tabs.List>
          {SNIPPETS.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SNIPPETS.map(({ id, where, write }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Snippet code={write(facts)} where={where} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('made.kept')}</Button>
      </Group>
    </Stack>
  );
}

/** Code to paste, and the file that it belongs in where it has one. */
function Snippet({ code, where }: { readonly code: string; readonly where: string | undefined }) {
  const { t } = useTranslation('keys');
  return (
    <>
      {where !== undefined && (
        <Text size="xs" c="dimmed" mb={6} className="tg-mono">
          {where}
        </Text>
      )}
      <CodeBlock code={code} what={t('made.snippet')} />
    </>
  );
}

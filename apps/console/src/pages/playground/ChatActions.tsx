import { Button, Group } from '@mantine/core';
import {
  IconCheck,
  IconColumns1,
  IconColumns2,
  IconEraser,
  IconHistory,
  IconLink,
  IconSettings2,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../shared/use-copy.ts';
import { listSet } from './parameters.ts';
import classes from './Playground.module.css';
import type { PlaygroundSearch } from './search.ts';
import { toSearch } from './setup.ts';
import type { useChat } from './use-chat.ts';

interface ChatActionsProps {
  readonly chat: ReturnType<typeof useChat>;
  readonly group: string | undefined;
  readonly areSettingsOpen: boolean;
  readonly onSettings: () => void;
  readonly onHistory: () => void;
  /** What is tried out. */
  readonly children: ReactNode;
}

/** What can be done with all lanes at once. */
export default function ChatActions(props: ChatActionsProps) {
  const { chat, group, areSettingsOpen, onSettings, onHistory, children } = props;
  const { t } = useTranslation('playground');
  const link = useShareLink(chat, group);
  const { isCopied, copy } = useCopy();
  return (
    <Group gap="xs" className={classes.actions}>
      {children}
      <Button
        className={classes.settingsButton}
        variant="default"
        leftSection={<IconSettings2 size={16} />}
        aria-expanded={areSettingsOpen}
        onClick={onSettings}
      >
        {t('settings')}
      </Button>
      {chat.mayAdd && (
        <Button variant="default" leftSection={<IconColumns2 size={16} />} onClick={chat.add}>
          {t('compare')}
        </Button>
      )}
      {chat.used.length > 1 && (
        <Button variant="default" leftSection={<IconColumns1 size={16} />} onClick={chat.keepFirst}>
          {t('single')}
        </Button>
      )}
      <Button variant="default" leftSection={<IconHistory size={16} />} onClick={onHistory}>
        {t('history.title')}
      </Button>
      <Button
        variant="default"
        leftSection={isCopied ? <IconCheck size={16} /> : <IconLink size={16} />}
        title={t('shareMeans')}
        onClick={() => copy(link)}
      >
        {t(isCopied ? 'shared' : 'share')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconEraser size={16} />}
        disabled={chat.isEmpty}
        onClick={chat.startOver}
      >
        {t('clear')}
      </Button>
    </Group>
  );
}

/** An address with the same models, settings and first prompt, for somebody else; what was answered stays here. */
function useShareLink({ used, settings }: ReturnType<typeof useChat>, group: string | undefined): string {
  const router = useRouter();
  const first = used[0]?.lane.conversation[0]?.input;
  const set = listSet(settings);
  const search: PlaygroundSearch = {
    ...toSearch(used.map(({ setup }) => setup)),
    ...(group === undefined ? {} : { group }),
    ...(Object.keys(set).length === 0 ? {} : { settings: set }),
    ...(first?.kind === 'prompt' && first.text !== '' ? { prompt: first.text } : {}),
  };
  return window.location.origin + router.buildLocation({ to: '/playground', search }).href;
}

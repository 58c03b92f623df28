import { ActionIcon, Button, Drawer, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../shared/Moment.tsx';
import { type KeptChat, keptChats, findTitle } from './kept-chats.ts';
import classes from './Playground.module.css';

interface HistoryDrawerProps {
  readonly userId: string;
  readonly onOpen: (chat: KeptChat) => void;
  readonly onClose: () => void;
}

/** The conversations that this browser keeps of whoever is signed in. */
export default function HistoryDrawer({ userId, onOpen, onClose }: HistoryDrawerProps) {
  const { t } = useTranslation(['playground', 'common']);
  const [chats, setChats] = useState(() => keptChats.list(userId));
  const forget = (isGone: (chat: KeptChat) => boolean) => {
    keptChats.forget((chat) => chat.userId === userId && isGone(chat));
    setChats(keptChats.list(userId));
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={420}
      title={t('history.title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(chats.length === 0 ? 'history.none' : 'history.about')}
        </Text>
        <ul className={classes.chats}>
          {chats.map((chat) => (
            <li key={chat.id}>
              <UnstyledButton className={classes.chat} onClick={() => onOpen(chat)}>
                <span>{findTitle(chat) || t('history.untitled')}</span>
                <small>
                  <Moment at={chat.at} as="ago" /> · {chat.lanes.map(({ model }) => model).join(', ')}
                </small>
              </UnstyledButton>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('history.forget', { title: findTitle(chat) })}
                onClick={() => forget(({ id }) => id === chat.id)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
        {chats.length > 0 && (
          <Button variant="default" w="fit-content" onClick={() => forget(() => true)}>
            {t('history.forgetAll')}
          </Button>
        )}
      </Stack>
    </Drawer>
  );
}

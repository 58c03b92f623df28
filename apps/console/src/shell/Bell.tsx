import { ActionIcon } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticesQuery } from '../api/notices.ts';
import { loadWords } from '../i18n/i18n.ts';
import { browserStorage } from '../shared/browser-storage.ts';
import { OnceOpened } from '../shared/OnceOpened.tsx';
import { countUnseen } from './seen-notices.ts';
import classes from './Shell.module.css';

const NoticeDrawer = lazy(async () => {
  const [drawer] = await Promise.all([import('./NoticeDrawer.tsx'), loadWords('notices')]);
  return drawer;
});

/** What concerns whoever is signed in, with how much of it they have not seen in this browser. */
export default function Bell() {
  const { t } = useTranslation();
  const { data: notices = [], error } = useQuery(noticesQuery);
  const [isOpen, setOpen] = useState(false);
  const unseen = countUnseen(browserStorage.read('seen-notices'), notices);
  const open = () => {
    browserStorage.write('seen-notices', JSON.stringify(notices.map(({ id }) => id)));
    setOpen(true);
  };
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        className={classes.bell}
        onClick={open}
        aria-label={unseen === 0 ? t('bell.label') : t('bell.unseen', { count: unseen })}
      >
        <IconBell size={18} stroke={1.7} />
        {unseen > 0 && (
          <span aria-hidden data-count>
            {unseen}
          </span>
        )}
      </ActionIcon>
      <OnceOpened isOpen={isOpen}>
        <NoticeDrawer notices={notices} error={error} isOpen={isOpen} onClose={() => setOpen(false)} />
      </OnceOpened>
    </>
  );
}

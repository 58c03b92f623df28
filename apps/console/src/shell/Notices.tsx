import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';

/** The corner where notices appear. */
export default function Notices() {
  const { t } = useTranslation();
  return <Notifications position="bottom-right" limit={4} aria-label={t('notices')} />;
}

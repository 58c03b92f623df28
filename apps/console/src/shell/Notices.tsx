import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';

/** The corner where notices appear. */
export default function Notices() {
  const { t } = useTranslation();
  return (
    <section aria-label={t('notices')}>
      <Notifications position="bottom-right" limit={4} withinPortal={false} />
    </section>
  );
}

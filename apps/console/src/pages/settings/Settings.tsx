import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { createLazyRoute } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../../api/me.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { AppearancePanel } from './AppearancePanel.tsx';
import { PasswordPanel } from './PasswordPanel.tsx';
import { ProfilePanel } from './ProfilePanel.tsx';
import { SessionsPanel } from './SessionsPanel.tsx';

const FactorsPanel = lazy(async () => {
  const [panel] = await Promise.all([import('./FactorsPanel.tsx'), loadWords(['security'])]);
  return panel;
});

export const page = createLazyRoute('/shell/settings')({ component: Settings });

/** What people change of themselves. */
function Settings() {
  const { t } = useTranslation('settings');
  const { data: profile, error, refetch } = useQuery(profileQuery);
  return (
    <Page title={t('title')} about={t('about')}>
      {profile ? (
        <>
          <ProfilePanel profile={profile} />
          {profile.has_password && <PasswordPanel email={profile.email} />}
          <Suspense
            fallback={
              <Panel>
                <LoadingRows rows={3} />
              </Panel>
            }
          >
            <FactorsPanel />
          </Suspense>
          <SessionsPanel />
          <AppearancePanel timeZone={profile.time_zone} />
        </>
      ) : (
        <Panel>
          {error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows rows={4} />}
        </Panel>
      )}
    </Page>
  );
}

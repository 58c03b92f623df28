import { Button, Group, Title } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invitesQuery, type MadeLink, membersQuery } from '../../api/members.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { AccountField } from '../accounts/AccountField.tsx';
import { InviteTable } from './InviteTable.tsx';
import { PeopleTable } from './PeopleTable.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

const InviteDialog = lazy(() => import('./InviteDialog.tsx'));
const LinkDialog = lazy(() => import('./LinkDialog.tsx'));

export const page = createLazyRoute('/shell/users')({ component: Users });

/** The people of an account, and who is invited to it. */
function Users() {
  const { t } = useTranslation('users');
  const { session } = page.useRouteContext();
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const account = search.account ?? session.account_id;
  const people = useQuery(membersQuery(account));
  const invites = useLookup(invitesQuery(account)).data?.items ?? [];
  const [made, setMade] = useState<{ link: MadeLink; kind: 'invite' | 'reset' } | null>(null);
  const setInviting = (isOpen: boolean) =>
    void navigate({
      search: (before) => changed(before, { invite: isOpen ? true : undefined }),
      replace: !isOpen,
      resetScroll: false,
    });
  const inviteButton = (
    <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInviting(true)}>
      {t('invite')}
    </Button>
  );

  return (
    <Page title={t('title')} about={t('about')} actions={inviteButton}>
      <Group>
        <AccountField
          isRequired
          value={account}
          onChange={(id) =>
            void navigate({
              search: (before) => changed(before, { account: id === session.account_id ? undefined : id }),
            })
          }
        />
      </Group>
      <Panel>
        {!people.data && people.error && (
          <Failed error={people.error} onRetry={() => void people.refetch()} />
        )}
        {!people.data && !people.error && <LoadingRows rows={4} />}
        {people.data?.items.length === 0 && (
          <Nothing icon={IconUsers} title={t('none.title')} about={t('none.about')} action={inviteButton} />
        )}
        {people.data && people.data.items.length > 0 && (
          <PeopleTable
            people={people.data.items}
            session={session}
            onLink={(link) => setMade({ link, kind: 'reset' })}
          />
        )}
      </Panel>
      {invites.length > 0 && (
        <section>
          <Title order={2} mb="sm">
            {t('open')}
          </Title>
          <Panel>
            <InviteTable account={account} invites={invites} />
          </Panel>
        </section>
      )}
      <Suspense>
        {search.invite && (
          <InviteDialog
            account={account}
            session={session}
            onClose={() => setInviting(false)}
            onMade={(link) => {
              setInviting(false);
              setMade({ link, kind: 'invite' });
            }}
          />
        )}
        {made && <LinkDialog made={made.link} kind={made.kind} onClose={() => setMade(null)} />}
      </Suspense>
    </Page>
  );
}

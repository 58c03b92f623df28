import { Button, Group, MultiSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { Panel } from '../../shared/Panel.tsx';
import { autoGroupsAfter, entriesAfter, pickAutoGroups, type Seen, withChange } from './changes.ts';
import { DraftError } from './DraftError.tsx';
import { ShowMeanwhile } from './ShowMeanwhile.tsx';
import { useTargetDraft } from './use-target-draft.ts';
import type { ChangeSearch } from './search.ts';
import { useDraftWriter } from './use-draft-writer.ts';
import classes from './Catalogue.module.css';

interface AutoGroupsProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly change: ChangeSearch;
}

/** What keys of the group `auto` try, in this order. */
export default function AutoGroups({ live, draft, change }: AutoGroupsProps) {
  const { t } = useTranslation('catalogue');
  const writer = useDraftWriter();
  const changes = draft?.changes ?? [];
  const existing = autoGroupsAfter(live.catalogue, changes);
  const [edited, edit] = useState<{ readonly groups: readonly string[]; readonly seen: Seen } | null>(null);
  const groups = edited?.groups ?? existing;
  const [name] = useTargetDraft(draft);
  const save = () =>
    writer.mutate(
      {
        name,
        edit: (before) => withChange(before, { op: 'auto-groups', groups: [...groups] }),
        ...(edited ? { about: { seen: edited.seen, section: 'auto_groups', pick: pickAutoGroups } } : {}),
      },
      {
        onSuccess: () => {
          edit(null);
          change({ draft: name });
        },
      },
    );
  return (
    <Panel mt="md">
      <div className={classes.section}>
        <Title order={2}>{t('auto.title')}</Title>
        <Stack gap="sm" mt={4}>
          <Text size="sm" c="dimmed">
            {t('auto.about')}
          </Text>
          <Group align="flex-end" gap="sm">
            <MultiSelect
              flex="1 1 16rem"
              maw={620}
              label={t('auto.order')}
              data={entriesAfter(live.catalogue, changes, 'groups').map((group) => group.name)}
              value={[...groups]}
              onChange={(order) => edit({ groups: order, seen: edited?.seen ?? { live, draft } })}
            />
            {edited && (
              <Button loading={writer.isPending} disabled={name === ''} onClick={save}>
                {t('save')}
              </Button>
            )}
          </Group>
          <ShowMeanwhile<Seen>
            error={writer.error}
            onDecide={(choice, now) => {
              writer.reset();
              edit(choice === 'theirs' ? null : { groups, seen: now });
            }}
          >
            <DraftError error={writer.error} draft={name} />
          </ShowMeanwhile>
        </Stack>
      </div>
    </Panel>
  );
}

import { Box, Button, Group, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import { type Draft, draftsQuery } from '../../api/drafts.ts';
import { Choice } from '../../shared/Choice.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import type { CatalogueSearch, ChangeSearch } from './search.ts';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Catalogue.module.css';

interface DraftBarProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly search: CatalogueSearch;
  readonly change: ChangeSearch;
}

const LIVE = ' live';

/** What is looked at: what is live, or a draft on top of it. */
export function DraftBar({ live, draft, search, change }: DraftBarProps) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const drafts = useLookup(draftsQuery).data ?? [];
  const names = [...new Set([...drafts.map(({ name }) => name), ...(search.draft ? [search.draft] : [])])];
  return (
    <Panel>
      <div className={classes.bar}>
        <Group justify="space-between" gap="sm">
          <Group gap="sm" flex="1 1 auto">
            <Box className={classes.shown}>
              <Choice
                isLabelHidden
                label={t('draft.shown')}
                allowDeselect={false}
                data={[
                  { value: LIVE, label: t('draft.live', { version: live.version }) },
                  ...names.map((name) => ({ value: name, label: t('draft.named', { name }) })),
                ]}
                value={search.draft ?? LIVE}
                onChange={(value) =>
                  void change({
                    draft: value === LIVE || value === null ? undefined : value,
                    edit: undefined,
                  })
                }
              />
            </Box>
            {draft ? (
              <DraftState draft={draft} />
            ) : (
              <Text size="sm" c="dimmed">
                {t('draft.liveSince', { date: format.moment(live.published_at) })}
              </Text>
            )}
          </Group>
          {draft && search.tab !== 'changes' && (
            <Button rightSection={<IconArrowRight size={16} />} onClick={() => change({ tab: 'changes' })}>
              {t('draft.review')}
            </Button>
          )}
        </Group>
      </div>
    </Panel>
  );
}

function DraftState({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  if (draft.status === 'published')
    return <Mark>{t('draft.published', { version: draft.version ?? 0 })}</Mark>;
  if (draft.faults.length > 0) return <Mark tone="bad">{t('draft.faulty')}</Mark>;
  return (
    <Group gap="xs">
      {draft.status === 'scheduled' && draft.effective_at !== null ? (
        <Mark tone="accent">{t('draft.scheduled', { date: format.moment(draft.effective_at) })}</Mark>
      ) : (
        <Mark tone="warn">{t('draft.open')}</Mark>
      )}
      <Text size="sm" c="dimmed">
        {t('draft.onTop', { version: draft.base_version })}
      </Text>
    </Group>
  );
}

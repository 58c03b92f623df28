import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconGitCompare } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { EntryDifference } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { notify } from '../../shared/notify.ts';
import { Panel } from '../../shared/Panel.tsx';
import { Nothing, useErrorText } from '../../shared/States.tsx';
import { subjectOfDifference, without } from './changes.ts';
import { DifferenceList } from './DifferenceList.tsx';
import { DryRunPanel } from './DryRunPanel.tsx';
import { PublishPanel } from './PublishPanel.tsx';
import type { ChangeSearch } from './search.ts';
import { useDraftWriter } from './use-draft-writer.ts';
import { sayFaults } from '../../shared/say-faults.ts';
import { useDiscountNames } from './use-discount-names.ts';
import classes from './Catalogue.module.css';

interface ChangesTabProps {
  readonly draft: Draft;
  readonly change: ChangeSearch;
}

/** What a draft would change, what that would have cost, and how it becomes a version. */
export default function ChangesTab({ draft, change }: ChangesTabProps) {
  const { t } = useTranslation(['catalogue', 'catalogue-versions', 'faults']);
  const errorText = useErrorText();
  const writer = useDraftWriter();
  const names = useDiscountNames(draft.differences);
  const takeBack = (difference: EntryDifference) =>
    writer.mutate(
      { name: draft.name, edit: (changes) => without(changes, subjectOfDifference(difference)) },
      { onError: (error) => notify({ color: 'red', title: t('refused'), message: errorText(error) }) },
    );
  return (
    <Stack gap="md">
      {draft.failure !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t('draft.failed')}>
          {draft.failure}
        </Alert>
      )}
      {draft.faults.length > 0 && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t('draft.faultsTitle')}>
          <ul className={classes.faults}>
            {draft.faults.map((fault) => (
              <li key={fault}>{sayFaults(fault)}</li>
            ))}
          </ul>
        </Alert>
      )}
      {draft.warnings.length > 0 && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
          <Text size="sm" fw={620}>
            {t('warnings.title', { ns: 'catalogue-versions' })}
          </Text>
          <ul className={classes.faults}>
            {draft.warnings.map(({ code, name }) => (
              <li key={`${code} ${name}`}>{t(`warnings.${code}`, { ns: 'catalogue-versions', name })}</li>
            ))}
          </ul>
        </Alert>
      )}
      <Panel>
        {draft.differences.length === 0 ? (
          <Nothing
            icon={IconGitCompare}
            title={t('changes.noneTitle', { ns: 'catalogue-versions' })}
            about={t('changes.noneAbout', { ns: 'catalogue-versions' })}
          />
        ) : (
          <DifferenceList
            differences={draft.differences}
            accountNames={names}
            {...(draft.status === 'open' ? { onTakeBack: takeBack } : {})}
          />
        )}
      </Panel>
      {draft.differences.length > 0 && <DryRunPanel key={draft.revision} draft={draft} />}
      <PublishPanel key={draft.name} draft={draft} change={change} />
    </Stack>
  );
}

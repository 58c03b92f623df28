import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { type EditedSection, pickEntries, type Seen, withRemoval } from './changes.ts';
import { DraftError } from './DraftError.tsx';
import { ShowMeanwhile } from './ShowMeanwhile.tsx';
import { useTargetDraft } from './use-target-draft.ts';
import type { ChangeSearch } from './search.ts';
import { TargetDraft } from './TargetDraft.tsx';
import { useDraftWriter } from './use-draft-writer.ts';

interface RemoveDialogProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly section: EditedSection;
  readonly name: string;
  readonly change: ChangeSearch;
  readonly onClose: () => void;
}

/** Takes an entry away, in a draft: nothing is gone before that is published. */
export default function RemoveDialog({ live, draft, section, name, change, onClose }: RemoveDialogProps) {
  const { t } = useTranslation(['catalogue', 'common']);
  const [target, setTarget, isLoading] = useTargetDraft(draft);
  const [seen, see] = useState<Seen>({ live, draft });
  const writer = useDraftWriter();
  const remove = () =>
    writer.mutate(
      {
        name: target,
        edit: (changes) => withRemoval(changes, seen.live.catalogue, section, name),
        about: { seen, section, pick: pickEntries(section, [name]) },
      },
      {
        onSuccess: () => {
          onClose();
          change({ draft: target });
        },
      },
    );
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      title={t('removing.title', { name })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack>
        <Text size="sm">{t('removing.about')}</Text>
        {!draft && <TargetDraft value={target} onChange={setTarget} isLoading={isLoading} />}
        <ShowMeanwhile<Seen>
          error={writer.error}
          onDecide={(choice, now) => {
            writer.reset();
            see(now);
            if (choice === 'theirs') onClose();
          }}
        >
          <DraftError error={writer.error} draft={target} />
        </ShowMeanwhile>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'common' })}
          </Button>
          <Button color="red.9" loading={writer.isPending} disabled={target.trim() === ''} onClick={remove}>
            {t('removing.submit')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

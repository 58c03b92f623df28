import { Button, Drawer, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Model, Published } from '../../api/catalogue.ts';
import { ChangedMeanwhile } from '../../api/changed-meanwhile.ts';
import type { Change, Draft } from '../../api/drafts.ts';
import { offersQuery } from '../../api/upstreams.ts';
import { notify } from '../../shared/notify.ts';
import {
  type EditedSection,
  findEntry,
  pickEntries,
  type Seen,
  takenNames,
  withChange,
  withVendor,
} from './changes.ts';
import { GroupForm } from './GroupForm.tsx';
import { ModelFormFields } from './ModelFormFields.tsx';
import { DraftError } from './DraftError.tsx';
import { ShowMeanwhile } from './ShowMeanwhile.tsx';
import { useTargetDraft } from './use-target-draft.ts';
import type { CatalogueSearch, ChangeSearch } from './search.ts';
import { TargetDraft } from './TargetDraft.tsx';
import { useDraftWriter } from './use-draft-writer.ts';
import { VendorForm } from './VendorForm.tsx';
import { useUnsaved } from '../../shared/use-unsaved.tsx';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Catalogue.module.css';

interface EntryEditorProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly section: EditedSection;
  /** "+" is a new one. */
  readonly name: string;
  readonly search: CatalogueSearch;
  readonly change: ChangeSearch;
}

const FORMS = { models: ModelFormFields, groups: GroupForm, vendors: VendorForm } as const;

export default function EntryEditor({ section, name, search, change, ...newest }: EntryEditorProps) {
  const { t } = useTranslation(['catalogue', 'common']);
  const writer = useDraftWriter();
  // What others write while somebody types is not what they type on.
  const [seen, see] = useState<Seen>({ live: newest.live, draft: newest.draft });
  const { live } = seen;
  const [target, setTarget, isLoading] = useTargetDraft(newest.draft);
  const changes = seen.draft?.changes ?? [];
  const isNew = name === '+';
  const close = () => change({ edit: undefined, upstream: undefined, model: undefined });
  const unsaved = useUnsaved(close);
  const offer = useOffered(search);
  const Form = FORMS[section];
  const save = (made: Change) =>
    writer.mutate(
      {
        name: target,
        edit: (before) => withChange(withVendor(before, live.catalogue, made), made),
        about: { seen, section, pick: pickEntries(section, [made.op === 'put' ? made.entry.name : name]) },
      },
      {
        onSuccess: () => {
          notify({ message: t('saved', { draft: target }) });
          change({ edit: undefined, upstream: undefined, model: undefined, draft: target });
        },
      },
    );
  if (offer.isPending) return null;
  return (
    <Drawer
      opened={isNew || findEntry(seen, section, name) !== undefined}
      onClose={unsaved.close}
      closeOnClickOutside={false}
      position="right"
      size={600}
      title={isNew ? t(`add.${section}`) : t(`editing.${section}`, { name })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Form
        live={live}
        changes={changes}
        name={name}
        suggested={offer.model}
        taken={isNew ? takenNames(live.catalogue, changes, section) : new Set()}
        onSave={save}
        frame={(onSubmit, fields, onDecide) => (
          <form noValidate onSubmit={onSubmit} onChange={unsaved.onChange}>
            <Stack gap="md">
              {fields}
              <ShowMeanwhile<Seen>
                error={writer.error}
                onDecide={(choice, now) => {
                  writer.reset();
                  if (choice === 'theirs' && !findEntry(now, section, name)) return close();
                  see(now);
                  onDecide(choice, now);
                }}
              />
              {!newest.draft && <TargetDraft value={target} onChange={setTarget} isLoading={isLoading} />}
              {unsaved.question}
              <Foot error={writer.error} target={target} isPending={writer.isPending} onClose={close} />
            </Stack>
          </form>
        )}
      />
    </Drawer>
  );
}

interface FootProps {
  readonly error: Error | null;
  readonly target: string;
  readonly isPending: boolean;
  readonly onClose: () => void;
}

function Foot({ error, target, isPending, onClose }: FootProps) {
  const { t } = useTranslation(['catalogue', 'common']);
  return (
    <Group justify="flex-end" gap="xs" className={classes.foot}>
      <DraftError error={error instanceof ChangedMeanwhile ? null : error} draft={target} />
      <Button variant="default" onClick={onClose}>
        {t('cancel', { ns: 'common' })}
      </Button>
      <Button type="submit" loading={isPending} disabled={target.trim() === ''}>
        {t('save')}
      </Button>
    </Group>
  );
}

/** What is known of a model that an upstream offers: at least its name there. */
function useOffered({ upstream, model: name }: CatalogueSearch): {
  readonly isPending: boolean;
  readonly model: Partial<Model> | undefined;
} {
  const isAsked = upstream !== undefined && name !== undefined;
  const { data, isLoading } = useLookup({ ...offersQuery, enabled: isAsked });
  if (!isAsked) return { isPending: false, model: undefined };
  const offer = data?.find((each) => each.upstream === upstream);
  const suggestion = offer?.lacking.find((each) => each.name === name)?.suggestion;
  return { isPending: isLoading, model: { name, ...suggestion } };
}

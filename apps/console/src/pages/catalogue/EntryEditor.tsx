import { Button, Drawer, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Model, Published } from '../../api/catalogue.ts';
import type { Change, Draft } from '../../api/drafts.ts';
import { offersQuery } from '../../api/upstreams.ts';
import { notify } from '../../shared/notify.ts';
import { type EditedSection, entriesAfter, takenNames, withChange, withVendor } from './changes.ts';
import { GroupForm } from './GroupForm.tsx';
import { ModelFormFields } from './ModelFormFields.tsx';
import { DraftError } from './DraftError.tsx';
import { useTargetDraft } from './use-target-draft.ts';
import type { CatalogueSearch, ChangeSearch } from './search.ts';
import { TargetDraft } from './TargetDraft.tsx';
import { useDraftWriter } from './use-draft-writer.ts';
import { VendorForm } from './VendorForm.tsx';
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

export default function EntryEditor({ live, draft, section, name, search, change }: EntryEditorProps) {
  const { t } = useTranslation(['catalogue', 'common']);
  const writer = useDraftWriter();
  const [target, setTarget, isLoading] = useTargetDraft(draft);
  const changes = draft?.changes ?? [];
  const isNew = name === '+';
  const isThere =
    isNew || entriesAfter(live.catalogue, changes, section).some((entry) => entry.name === name);
  const close = () => change({ edit: undefined, upstream: undefined, model: undefined });
  const offer = useOffered(search);
  const Form = FORMS[section];
  const save = (made: Change) =>
    writer.mutate(
      {
        name: target,
        edit: (before) => withChange(withVendor(before, live.catalogue, made), made),
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
      opened={isThere}
      onClose={close}
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
        frame={(onSubmit, fields) => (
          <form noValidate onSubmit={onSubmit}>
            <Stack gap="md">
              {fields}
              {!draft && <TargetDraft value={target} onChange={setTarget} isLoading={isLoading} />}
              <Group justify="flex-end" gap="xs" className={classes.foot}>
                <DraftError error={writer.error} draft={target} />
                <Button variant="default" onClick={close}>
                  {t('cancel', { ns: 'common' })}
                </Button>
                <Button type="submit" loading={writer.isPending} disabled={target.trim() === ''}>
                  {t('save')}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      />
    </Drawer>
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

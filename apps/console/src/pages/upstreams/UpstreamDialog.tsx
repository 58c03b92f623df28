import { Fieldset, MultiSelect, NumberInput, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { putUpstream, type UpstreamInput } from '../../api/upstreams.ts';
import { LimitFields } from '../limits/LimitFields.tsx';
import { type Choice, decide } from '../catalogue/use-decision.ts';
import { DialogFrame } from './DialogFrame.tsx';
import { AccessFields } from './AccessFields.tsx';
import { costFaults } from './cost-form.ts';
import { CostFields } from './CostFields.tsx';
import { DraftTest } from './DraftTest.tsx';
import {
  alignSecrets,
  toUpstream,
  toUpstreamForm,
  upstreamFaults,
  type UpstreamForm,
} from './upstream-form.ts';
import { usePublishing, useSeen } from './use-publishing.ts';

interface UpstreamDialogProps {
  readonly live: Published;
  /** "+" is a new one. */
  readonly name: string;
  readonly onClose: () => void;
}

const NUMBER = {
  min: 1,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
};

export default function UpstreamDialog({ live: newest, name, onClose }: UpstreamDialogProps) {
  const [live, see] = useSeen(newest);
  const { t } = useTranslation(['upstreams', 'catalogue']);
  const findUpstream = ({ catalogue }: Published) => catalogue.upstreams.find((each) => each.name === name);
  const upstream = findUpstream(live);
  const taken = new Set(upstream ? [] : live.catalogue.upstreams.map((each) => each.name));
  const form = useForm<UpstreamForm>({
    initialValues: toUpstreamForm(upstream),
    validate: (values) => ({
      ...Object.fromEntries(
        Object.entries(upstreamFaults(values, taken, upstream)).map(([path, fault]) => [
          path,
          t(`faults.${fault}`),
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(costFaults(values.costs)).map(([path, fault]) => [
          path,
          t(`faults.${fault}`, { ns: 'catalogue-form' }),
        ]),
      ),
    }),
  });
  const publishing = usePublishing((input: UpstreamInput) => putUpstream(live, input));
  const decideOn = (choice: Choice, now: Published) => {
    publishing.reset();
    see(now);
    const theirs = findUpstream(now);
    if (!theirs && choice === 'theirs') return onClose();
    const { secrets } = form.getValues();
    decide(form, choice, theirs && toUpstreamForm(theirs), upstream === undefined);
    if (theirs && upstream && choice === 'mine')
      form.setFieldValue('secrets', alignSecrets(theirs, secrets, upstream));
  };
  return (
    <DialogFrame
      title={upstream ? t('editing.upstream', { name }) : t('addUpstream')}
      error={publishing.error}
      isPending={publishing.isPending}
      onDecide={decideOn}
      onClose={onClose}
      onSubmit={form.onSubmit((values) =>
        publishing.mutate(toUpstream(values, upstream), { onSuccess: onClose }),
      )}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('form.name')}
          required
          disabled={upstream !== undefined}
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('form.baseUrl')}
          required
          placeholder={t('form.baseUrlSuch')}
          {...form.getInputProps('baseUrl')}
        />
        <MultiSelect
          label={t('form.protocols')}
          required
          data={[...PROTOCOLS]}
          {...form.getInputProps('protocols')}
          value={[...form.values.protocols]}
        />
        <TagsInput label={t('form.tags')} {...form.getInputProps('tags')} value={[...form.values.tags]} />
        <NumberInput
          label={t('form.probeS')}
          placeholder={t('form.never')}
          {...NUMBER}
          {...form.getInputProps('probeS')}
        />
      </SimpleGrid>
      <AccessFields form={form} upstream={upstream} />
      <CostFields form={form} models={live.catalogue.models} />
      <Fieldset legend={t('form.timeouts')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {(['connectMs', 'firstByteMs', 'idleMs'] as const).map((field) => (
            <NumberInput key={field} label={t(`form.${field}`)} {...NUMBER} {...form.getInputProps(field)} />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={t('limits.ofUpstream', { ns: 'catalogue' })}>
        <LimitFields input={(limit) => form.getInputProps(`limits.${limit}`)} />
      </Fieldset>
      <Switch
        label={t('form.allowPrivate')}
        description={t('form.allowPrivateMeans')}
        {...form.getInputProps('allowPrivate', { type: 'checkbox' })}
      />
      <DraftTest
        live={live}
        upstream={upstream}
        values={form.values}
        isFaulty={() => form.validate().hasErrors}
      />
    </DialogFrame>
  );
}

import { Button, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../shared/Choice.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Playground.module.css';
import { EFFORTS, type ParameterName } from './formats/format.ts';
import type { FormatId } from './formats/format-id.ts';
import {
  LACKS,
  NUMBERS,
  OUTPUTS,
  RANGES,
  type ReadSettings,
  SAMPLE_SCHEMA,
  type Settings,
} from './parameters.ts';
import { KEY_BUDGET_USD } from './temporary-key.ts';
import { SAMPLE_TOOLS, toolsIn } from './tools.ts';
import type { PlaygroundKey } from './use-playground-key.ts';

interface SettingsPanelProps {
  /** Matters on narrow screens, where it is folded away. */
  readonly isOpen: boolean;
  readonly settings: Settings;
  readonly faults: ReadSettings['faults'];
  /** In which the models are asked. */
  readonly formats: readonly FormatId[];
  readonly onChange: (settings: Settings) => void;
  readonly groups: readonly string[];
  readonly group: string;
  readonly onGroup: (group: string) => void;
  readonly apiKey: PlaygroundKey;
}

/** What goes with every request. */
export default function SettingsPanel(props: SettingsPanelProps) {
  const { isOpen, settings, onChange, groups, group, onGroup, apiKey } = props;
  const { t } = useTranslation('playground');
  const set = (name: keyof Settings) => (value: string) => onChange({ ...settings, [name]: value });
  const { fault } = toolsIn(settings.tools);
  return (
    <section className={classes.settings} data-open={isOpen} aria-label={t('settings')}>
      <Panel p="md">
        <Stack gap="md">
          <Title order={2} size="h3">
            {t('settings')}
          </Title>
          <Textarea
            label={t('form.system')}
            placeholder={t('form.systemSuch')}
            rows={3}
            value={settings.system}
            onChange={({ currentTarget: { value } }) => set('system')(value)}
          />
          <NumberFields {...props} />
          <Answers {...props} />
          <div>
            <Textarea
              label={t('form.tools')}
              description={t('form.toolsAbout')}
              rows={settings.tools === '' ? 2 : 9}
              spellCheck={false}
              classNames={{ input: classes.json }}
              error={fault && t(`form.toolFaults.${fault}`)}
              value={settings.tools}
              onChange={({ currentTarget: { value } }) => set('tools')(value)}
            />
            {settings.tools.trim() === '' && (
              <Button
                size="compact-xs"
                variant="subtle"
                mt={4}
                ml={-8}
                onClick={() => set('tools')(SAMPLE_TOOLS)}
              >
                {t('form.sampleTool')}
              </Button>
            )}
          </div>
          <Choice
            label={t('form.group')}
            allowDeselect={false}
            data={groups}
            value={group}
            onChange={(chosen) => chosen !== null && onGroup(chosen)}
          />
          <KeyField apiKey={apiKey} />
        </Stack>
      </Panel>
    </section>
  );
}

type FieldsProps = Pick<SettingsPanelProps, 'settings' | 'faults' | 'formats' | 'onChange'>;

/** Numbers that a request may state, and what is wrong with one. */
function NumberFields({ settings, faults, formats, onChange }: FieldsProps) {
  const { t } = useTranslation('playground');
  const lacks = useLacks(formats);
  return (
    <div className={classes.pair}>
      {NUMBERS.map((name) => (
        <TextInput
          key={name}
          label={t(`form.${name}`)}
          placeholder={t('form.default')}
          inputMode="decimal"
          description={lacks(name)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={faults[name] && t('form.range', RANGES[name])}
          value={settings[name]}
          onChange={({ currentTarget: { value } }) => onChange({ ...settings, [name]: value })}
        />
      ))}
    </div>
  );
}

/** How a model thinks, where it ends and in which form it answers. */
function Answers({ settings, faults, formats, onChange }: FieldsProps) {
  const { t } = useTranslation('playground');
  const lacks = useLacks(formats);
  return (
    <>
      <div className={classes.pair}>
        <Choice
          label={t('form.effort')}
          placeholder={t('form.default')}
          clearable
          data={EFFORTS.map((value) => ({ value, label: t(`form.efforts.${value}`) }))}
          value={settings.effort === '' ? null : settings.effort}
          onChange={(effort) => onChange({ ...settings, effort: effort ?? '' })}
        />
        <Choice
          label={t('form.output')}
          placeholder={t('form.outputs.text')}
          clearable
          data={OUTPUTS.map((value) => ({ value, label: t(`form.outputs.${value}`) }))}
          value={settings.output === '' ? null : settings.output}
          onChange={(output) =>
            onChange({
              ...settings,
              output: output ?? '',
              schema: output === 'schema' && settings.schema === '' ? SAMPLE_SCHEMA : settings.schema,
            })
          }
        />
      </div>
      {settings.output === 'schema' && (
        <Textarea
          label={t('form.schema')}
          rows={9}
          spellCheck={false}
          classNames={{ input: classes.json }}
          error={faults.schema && t('form.schemaRequired')}
          value={settings.schema}
          onChange={({ currentTarget: { value } }) => onChange({ ...settings, schema: value })}
        />
      )}
      <Textarea
        label={t('form.stop')}
        description={lacks('stop') ?? t('form.stopAbout')}
        rows={2}
        value={settings.stop}
        onChange={({ currentTarget: { value } }) => onChange({ ...settings, stop: value })}
      />
    </>
  );
}

/** Says which of the formats that are asked have no place for a parameter. */
function useLacks(formats: readonly FormatId[]) {
  const { t } = useTranslation('playground');
  return (name: ParameterName): string | undefined => {
    const without = [...new Set(formats)].filter((format) => LACKS[format].includes(name));
    return without.length === 0
      ? undefined
      : t('form.lacks', { formats: without.map((format) => t(`formats.${format}`)).join(', ') });
  };
}

function KeyField({ apiKey: { own, setOwn, temporary, renew } }: { readonly apiKey: PlaygroundKey }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  return (
    <Stack gap={6}>
      <Title order={3}>{t('key.title')}</Title>
      {own === '' && (
        <Text size="xs" c="dimmed" className={classes.keyNote}>
          {temporary
            ? t('key.temporary', { masked: temporary.masked, time: format.shortMoment(temporary.until) })
            : t('key.none', { budget: format.shortMoney(KEY_BUDGET_USD) })}
        </Text>
      )}
      {own === '' && temporary && (
        <Button size="compact-xs" variant="subtle" w="fit-content" ml={-8} onClick={renew}>
          {t('key.renew')}
        </Button>
      )}
      <TextInput
        type="password"
        autoComplete="off"
        label={t('key.own')}
        description={t('key.ownAbout')}
        placeholder={t('key.ownSuch')}
        value={own}
        onChange={({ currentTarget: { value } }) => setOwn(value.trim())}
      />
    </Stack>
  );
}

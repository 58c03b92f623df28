import { Button, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../shared/Choice.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Playground.module.css';
import type { ReadSettings, Settings } from './setup.ts';
import { KEY_BUDGET_USD } from './temporary-key.ts';
import { SAMPLE_TOOLS, toolsIn } from './tools.ts';
import type { PlaygroundKey } from './use-playground-key.ts';

interface SettingsPanelProps {
  /** Matters on narrow screens, where it is folded away. */
  readonly isOpen: boolean;
  readonly settings: Settings;
  readonly faults: ReadSettings['faults'];
  readonly onChange: (settings: Settings) => void;
  readonly groups: readonly string[];
  readonly group: string;
  readonly onGroup: (group: string) => void;
  readonly apiKey: PlaygroundKey;
}

/** What goes with every request. */
export function SettingsPanel(props: SettingsPanelProps) {
  const { isOpen, settings, faults, onChange, groups, group, onGroup, apiKey } = props;
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
          <div className={classes.pair}>
            <TextInput
              label={t('form.temperature')}
              placeholder={t('form.default')}
              inputMode="decimal"
              error={faults.temperature && t('form.temperatureRequired')}
              value={settings.temperature}
              onChange={({ currentTarget: { value } }) => set('temperature')(value)}
            />
            <TextInput
              label={t('form.maxTokens')}
              placeholder={t('form.default')}
              inputMode="numeric"
              error={faults.maxTokens && t('form.maxTokensRequired')}
              value={settings.maxTokens}
              onChange={({ currentTarget: { value } }) => set('maxTokens')(value)}
            />
          </div>
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

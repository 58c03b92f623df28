import {
  Input,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { speak } from '../../i18n/i18n.ts';
import { isLanguage, LANGUAGES } from '../../i18n/languages.ts';
import { THEMES } from '../../shell/preferences.ts';
import { Section } from './Section.tsx';
import { browserZone } from '../../shared/zone-name.ts';

/** How the console looks and speaks in this browser, and whose clock counts. */
export function AppearancePanel({ timeZone }: { readonly timeZone: string }) {
  const { t, i18n } = useTranslation(['settings', 'common']);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={t('looks.title')} about={t('looks.about')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label={t('language', { ns: 'common' })}
            value={i18n.language}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget: { value } }) => {
              if (isLanguage(value)) void speak(value);
            }}
          />
          <div>
            <Input.Label labelElement="div" id="settings-theme">
              {t('theme', { ns: 'common' })}
            </Input.Label>
            <SegmentedControl
              fullWidth
              aria-labelledby="settings-theme"
              value={colorScheme}
              data={THEMES.map((name) => ({ value: name, label: t(`themes.${name}`, { ns: 'common' }) }))}
              onChange={(value) => {
                const theme = THEMES.find((name) => name === value);
                if (theme) setColorScheme(theme);
              }}
            />
          </div>
        </SimpleGrid>
        <Text size="sm">{t('looks.clock', { own: browserZone(), zone: timeZone })}</Text>
      </Stack>
    </Section>
  );
}

import { Group, NativeSelect, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { speak } from '../i18n/i18n.ts';
import { LANGUAGES, isLanguage } from '../i18n/languages.ts';
import { THEMES } from './preferences.ts';

/** Theme and language for those who have no account menu yet. */
export function AuthPreferences() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Group justify="center" gap="xs">
      <NativeSelect
        size="xs"
        aria-label={t('language')}
        value={i18n.language}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) void speak(value);
        }}
      />
      <NativeSelect
        size="xs"
        aria-label={t('theme')}
        value={colorScheme}
        data={THEMES.map((name) => ({ value: name, label: t(`themes.${name}`) }))}
        onChange={({ currentTarget: { value } }) => {
          const theme = THEMES.find((name) => name === value);
          if (theme) setColorScheme(theme);
        }}
      />
    </Group>
  );
}

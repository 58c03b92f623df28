import i18next, { type Namespace, type ResourceKey } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { client } from '../api/generated/client.gen.ts';
import { browserStorage } from '../shared/browser-storage.ts';
import { chooseLanguage, isLanguage, type Language } from './languages.ts';

const catalogues = import.meta.glob<{ default: ResourceKey }>('../locales/*/*.json');

/** Loads one catalogue of one language when it is first needed. */
const lazyCatalogues = {
  type: 'backend' as const,
  init: () => undefined,
  read: async (language: string, namespace: string): Promise<ResourceKey> => {
    const load = catalogues[`../locales/${language}/${namespace}.json`];
    if (!load) throw new Error(`no words for ${namespace} in ${language}`);
    return (await load()).default;
  },
};

export async function startWords(): Promise<void> {
  const earlier = browserStorage.read('language');
  await i18next
    .use(lazyCatalogues)
    .use(initReactI18next)
    .init({
      lng: isLanguage(earlier) ? earlier : chooseLanguage(navigator.languages),
      fallbackLng: false,
      supportedLngs: false,
      ns: ['common'],
      defaultNS: 'common',
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
      returnNull: false,
    });
  document.documentElement.lang = i18next.language;
}

/** Words for what the service refuses come with its first refusal, and are there when it is shown. */
export const loadRefusalsWhenNeeded = (): void =>
  void client.interceptors.response.use(async (answer) => {
    if (!answer.ok && answer.status !== 401) await loadWords('refusals').catch(() => undefined);
    return answer;
  });

export const loadWords = (namespaces: Namespace): Promise<void> =>
  i18next.loadNamespaces(namespaces as string | readonly string[]);

export async function speak(language: Language): Promise<void> {
  await i18next.changeLanguage(language);
  browserStorage.write('language', language);
  document.documentElement.lang = language;
}

import i18next, { type Namespace, type ResourceKey } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { client } from '../api/generated/client.gen.ts';
import { browserStorage } from '../shared/browser-storage.ts';
import { toMissingPart } from '../shared/missing-parts.ts';
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
  await requireWords(['common']);
  document.documentElement.lang = i18next.language;
}

/** @throws Error for words that could not be loaded, which would be shown by their keys. */
async function requireWords(namespaces: readonly string[]): Promise<void> {
  const { language } = i18next;
  const missing = namespaces.filter((name) => !i18next.hasResourceBundle(language, name));
  await Promise.all(
    missing.map(async (name) => {
      try {
        i18next.addResourceBundle(language, name, await lazyCatalogues.read(language, name));
      } catch {
        throw toMissingPart(`words of ${name}`);
      }
    }),
  );
}

/** Those of a catalogue are put into the words of a refusal as `{{faults, faults}}`. */
async function loadRefusals(): Promise<void> {
  const [{ sayFaults }] = await Promise.all([
    import('../shared/say-faults.ts'),
    loadWords(['refusals', 'faults']),
  ]);
  i18next.services.formatter?.add('faults', (text: unknown) => sayFaults(String(text)));
}

/** Words for what the service refuses come with its first refusal, and are there when it is shown. */
export const loadRefusalsWhenNeeded = (): void =>
  void client.interceptors.response.use(async (answer) => {
    if (!answer.ok && answer.status !== 401) await loadRefusals().catch(() => undefined);
    return answer;
  });

export async function loadWords(namespaces: Namespace): Promise<void> {
  const names = [namespaces as string | readonly string[]].flat();
  await i18next.loadNamespaces(names);
  await requireWords(names);
}

export async function speak(language: Language): Promise<void> {
  await i18next.changeLanguage(language);
  browserStorage.write('language', language);
  document.documentElement.lang = language;
}

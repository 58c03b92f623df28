// Writes the types of the catalogues of words, so that a file in `src/locales` is all that a new one needs:
// `nx generate console`.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = join(import.meta.dirname, 'src');
const names = readdirSync(join(sources, 'locales', 'en')).map((file) => file.replace(/\.json$/, ''));
const folder = join(sources, 'i18n', 'generated');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'words.d.ts'),
  `${names.map((name, index) => `import type words${index} from '../../locales/en/${name}.json';`).join('\n')}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
${names.map((name, index) => `      '${name}': typeof words${index};`).join('\n')}
    };
  }
}
`,
);

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Adds a text behind the last place where a pattern is found. */
const addAfter =
  (pattern: RegExp, added: string) =>
  (text: string): string => {
    const last = [...text.matchAll(pattern)].at(-1);
    if (!last) throw new Error(`There is nothing like ${String(pattern)} to add a line behind.`);
    const end = last.index + last[0].length;
    return text.slice(0, end) + added + text.slice(end);
  };

/** npm sorts the packages of its file by path. */
function addToLock(text: string, name: string): string {
  const lock = JSON.parse(text) as { packages: Record<string, object> };
  const packages = {
    ...lock.packages,
    [`libs/${name}`]: { name: `@tollgate/${name}`, version: '0.1.0' },
    [`node_modules/@tollgate/${name}`]: { resolved: `libs/${name}`, link: true },
  };
  const sorted = Object.entries(packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
}

/** What a new lib is, by path. */
const newFiles = (name: string): Record<string, string> => ({
  'package.json': JSON.stringify(
    {
      name: `@tollgate/${name}`,
      version: '0.1.0',
      private: true,
      type: 'module',
      exports: { '.': { '@tollgate/source': './src/index.ts', default: './dist/index.js' } },
      nx: {
        tags: ['type:domain', `scope:${name}`],
        targets: { build: {}, lint: {}, typecheck: {}, test: {} },
      },
    },
    null,
    2,
  ),
  'tsconfig.json': JSON.stringify({ extends: '../../tsconfig.base.json', include: ['src'] }, null, 2),
  'src/index.ts': `export { LIB_NAME } from './${name}.ts';\n`,
  [`src/${name}.ts`]: `/** Stands here until the first function of ${name} does. */\nexport const LIB_NAME = '${name}';\n`,
  [`src/${name}.spec.ts`]: `import { LIB_NAME } from './index.ts';\n\ntest('the lib exports what it has', () => {\n  expect(LIB_NAME).toBe('${name}');\n});\n`,
});

/** Where the other libs stand, by path: each place gets a line for the new one. */
const places = (name: string): Record<string, (text: string) => string> => ({
  'tools/run/src/imports/boundaries.ts': addAfter(
    /^ {2}'scope:.*\n/gm,
    `  'scope:${name}': ['scope:vocabulary'],\n`,
  ),
  'jest.config.mjs': addAfter(/^ {2}'libs\/.*\n/gm, `  'libs/${name}',\n`),
  'docs/architecture.md': addAfter(
    /^\| `libs\/.*\n/gm,
    `| \`libs/${name}\` | to be written | \`vocabulary\` |\n`,
  ),
  'package-lock.json': (text) => addToLock(text, name),
});

/**
 * Makes `libs/<name>`: a lib without dependencies that is built, checked and tested like the others.
 *
 * @returns the paths that were written.
 */
export async function createLib(root: string, name: string): Promise<string[]> {
  if (!NAME.test(name))
    throw new Error(`"${name}" is no name of a lib: write it in lower case, as in rate-cards.`);
  const folder = `libs/${name}`;
  if (existsSync(join(root, folder))) throw new Error(`${folder} is there already.`);
  const style = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const written: string[] = [];
  const write = async (path: string, text: string) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    const isFormatted = /\.(?:json|m?ts|mjs|md)$/.test(path) && path !== 'package-lock.json';
    writeFileSync(file, isFormatted ? (await format(file, text, style)).code : text);
    written.push(path);
  };
  for (const [path, text] of Object.entries(newFiles(name))) await write(`${folder}/${path}`, text);
  for (const [path, add] of Object.entries(places(name)))
    await write(path, add(readFileSync(join(root, path), 'utf8')));
  return written;
}

/** As npm does it, without asking a registry. */
export const linkLib = (root: string, name: string): void =>
  symlinkSync(join('../../libs', name), join(root, 'node_modules/@tollgate', name));

import { readFileSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Source } from './read-sources.ts';

/** What a file exports: names of its own, names of other files, and files of which it exports everything. */
interface Module {
  readonly own: Set<string>;
  /** The name it exports, and the file and name that it has it from. */
  readonly passedOn: Map<string, { from: string; name: string }>;
  readonly everythingOf: string[];
}

const OWN =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (?!\{)([\w$]+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm;
const EVERYTHING = /^export (?:type )?\* from '([^']+)'/gm;
const IMPORTED =
  /(?:^|[\s;])import (?:type )?((?:[\w$]+, )?(?:\{[^}]*\}|\* as [\w$]+|[\w$]+)) from\s+'([^']+)'/g;
const LOADED = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Loaded by their paths: configurations of Jest and Vite name some, and migrations are found in their folder. */
const LOADED_BY_PATH = /\/global-(?:setup|teardown)\.ts$|\/migrations\/\d[^/]*\.ts$|\/console\/react\.ts$/;

/** The names in `a, type b, c as d`: what each is called where it comes from, and here. */
const namesIn = (list: string): { name: string; as: string }[] =>
  list
    .replace(/\/\/.*$/gm, '')
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((each) => {
      const [name = '', as = name] = each.split(/ as /);
      return { name: name.trim(), as: as.trim() };
    });

/** By the name that others import, the file: `@tollgate/money` is `libs/money/src/index.ts`. */
export function readPackageEntries(root: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const path of globSync('{apps,libs,tools}/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      name: string;
      exports?: Record<string, string | Record<string, string>>;
    };
    for (const [key, target] of Object.entries(exports)) {
      const file = typeof target === 'string' ? target : target['@tollgate/source'];
      if (file) entries.set(`${name}${key.slice(1)}`, normalize(join(dirname(path), file)));
    }
  }
  return entries;
}

/** Exports that no other file names, as `path name`. What a library's entry lists is used when somebody imports it there. */
export function findUnusedExports(
  sources: readonly Source[],
  entries: ReadonlyMap<string, string>,
): string[] {
  const modules = new Map<string, Module>();
  const used = new Map<string, Set<string>>();
  const paths = new Set(sources.map(({ path }) => path));
  const resolve = (from: string, specifier: string): string | undefined => {
    if (!specifier.startsWith('.')) return entries.get(specifier);
    const path = normalize(join(dirname(from), specifier));
    return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((each) => paths.has(each));
  };
  const use = (file: string | undefined, name: string) => {
    if (!file) return;
    const names = used.get(file) ?? new Set();
    used.set(file, names.add(name));
  };

  for (const { path, text } of sources) {
    const module: Module = { own: new Set(), passedOn: new Map(), everythingOf: [] };
    for (const [, name = ''] of text.matchAll(OWN)) module.own.add(name);
    for (const [, list = '', specifier] of text.matchAll(LISTED)) {
      const from = specifier === undefined ? undefined : resolve(path, specifier);
      for (const { name, as } of namesIn(list)) {
        if (specifier === undefined) module.own.add(as);
        else if (from) module.passedOn.set(as, { from, name });
      }
    }
    for (const [, specifier = ''] of text.matchAll(EVERYTHING)) {
      const from = resolve(path, specifier);
      if (from) module.everythingOf.push(from);
    }
    for (const [, what = '', specifier = ''] of text.matchAll(IMPORTED)) {
      const from = resolve(path, specifier);
      const list = /\{([^}]*)\}/.exec(what)?.[1];
      if (what.includes('* as ')) use(from, '*');
      if (list !== undefined) for (const { name } of namesIn(list)) use(from, name);
    }
    for (const [, specifier = ''] of text.matchAll(LOADED)) use(resolve(path, specifier), '*');
    modules.set(path, module);
  }

  // What is imported from a file that only passes it on is used where it comes from.
  const follow = (file: string, name: string, seen = new Set<string>()): void => {
    if (seen.has(`${file} ${name}`)) return;
    seen.add(`${file} ${name}`);
    const module = modules.get(file);
    if (!module) return;
    use(file, name);
    for (const [as, origin] of module.passedOn)
      if (name === as || name === '*') follow(origin.from, origin.name, seen);
    for (const from of module.everythingOf) follow(from, name, seen);
  };
  for (const [file, names] of [...used]) for (const name of [...names]) follow(file, name);

  return [...modules].flatMap(([path, { own, passedOn }]) => {
    const names = used.get(path) ?? new Set();
    if (names.has('*') || LOADED_BY_PATH.test(path)) return [];
    return [...own, ...passedOn.keys()].filter((name) => !names.has(name)).map((name) => `${path} ${name}`);
  });
}

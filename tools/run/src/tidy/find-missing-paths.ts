import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Source } from './read-sources.ts';

/** A path from the root, wherever it stands in a text; and what a link of Markdown leads to, from the document's folder. */
const PATH = /(?<![\w./@:-])(?:apps|libs|tools|docs|k8s|docker|\.ci)\/[\w@.*{},/<>-]+/g;
const LINK = /\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g;

/** A file of ours that is named by the end of its path. */
const FILE = /`(?:\.\.\/)*([\w@-][\w@./-]*\.(?:tsx?|mjs|lua|yaml|sh))`/g;
/** An example within inline code is no link. */
const INLINE_CODE = /`[^`\n]*`/g;
const CODE_BLOCK = /^```.*?^```/gms;
const ANCHOR = /\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)/g;
/** What whoever follows the document makes. */
const MADE_BY_READERS = new Set([
  'docker/.env',
  'docker/gateway.env',
  'docker/billing.env',
  'docker/pricing.env',
]);

/** What a build makes stands for what it is made of. */
const sourceOf = (path: string): string =>
  path.replace(/^((?:apps|libs)\/[\w*-]+)\/dist\//, '$1/src/').replace(/(\/src\/.*)\.js$/, '$1.ts');

function isThere(root: string, path: string): boolean {
  // `<name>` stands for any name.
  const pattern = sourceOf(path.replace(/<[^>/]*>/g, '*').replace(/[.,]+$/, ''));
  if (/[*{]/.test(pattern)) return globSync(pattern, { cwd: root }).length > 0;
  return existsSync(join(root, pattern));
}

/** Files and paths that a document names and that are not there, as `document path`. */
export function findMissingPaths(root: string, documents: readonly Source[]): string[] {
  const files = globSync(['.ci/*', '{apps,libs,tools,docs,docker,k8s}/**/*.*', '*.*'], {
    cwd: root,
    exclude: (name) => /^(node_modules|dist|golden)$/.test(name),
  }).map((path) => `/${path}`);
  return documents.flatMap(({ path: document, text }) => {
    const named = [...text.matchAll(PATH)].map(([path]) => path);
    const linked = [...text.replace(INLINE_CODE, '').matchAll(LINK)].map(([, path = '']) =>
      join(dirname(document), path),
    );
    const missing = [...named, ...linked].filter(
      (path) => !MADE_BY_READERS.has(path) && !isThere(root, path),
    );
    const unknown = [...text.matchAll(FILE)]
      .map(([, name = '']) => name)
      .filter((name) => !named.includes(name) && !files.some((path) => path.endsWith(`/${name}`)));
    return [...new Set([...missing, ...unknown])].map((path) => `${document} ${path}`);
  });
}

/** What a link to a heading names, as GitHub makes it of the heading's words. */
const toAnchor = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const listAnchors = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(CODE_BLOCK, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading)),
  );

/** Links to headings that their documents do not have, as `document link`. */
export function findMissingAnchors(documents: readonly Source[]): string[] {
  const anchors = new Map(documents.map(({ path, text }) => [path, listAnchors(text)]));
  return documents.flatMap(({ path: document, text }) =>
    [...text.replace(CODE_BLOCK, '').replace(INLINE_CODE, '').matchAll(ANCHOR)]
      .filter(([, path = '', anchor = '']) => {
        const known = anchors.get(path === '' ? document : join(dirname(document), path));
        return known !== undefined && !known.has(anchor);
      })
      .map(([, path = '', anchor = '']) => `${document} ${path}#${anchor}`),
  );
}

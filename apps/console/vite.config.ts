import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import mantinePreset from 'postcss-preset-mantine';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const COMPRESSIBLE = /\.(?:html|js|css|svg|json)$/;

/** What the first page that anybody sees is made of, and what stands in the addresses of all others. */
const BASE = new RegExp(
  [
    String.raw`@tanstack[\\/](?:query-core|react-query)[\\/]`,
    String.raw`@mantine[\\/]core[\\/]esm[\\/]core[\\/]`,
    String.raw`@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:ActionIcon|Button|Center|Group|Loader|Paper|Skeleton|Stack|Text|Title|Transition|UnstyledButton)[\\/]`,
    String.raw`@mantine[\\/]hooks[\\/]esm[\\/]use-(?:color-scheme|did-update|disclosure|hotkeys|isomorphic-effect|media-query|mutation-observer|reduced-motion)[\\/]`,
    String.raw`node_modules[\\/]clsx[\\/]|vite[\\/]preload-helper`,
    // Those of the states alone: the icons of the frame are for people who are signed in.
    String.raw`@tabler[\\/]icons-react[\\/]dist[\\/]esm[\\/](?:createReactComponent|defaultAttributes|icons[\\/]Icon(?:AlertTriangle|MapOff|Refresh))\.mjs`,
    String.raw`[\\/]src[\\/](?:app|i18n|api[\\/]generated[\\/](?:client|core))[\\/]`,
    String.raw`[\\/]src[\\/]api[\\/](?:[\w-]+-(?:groups|kinds|statuses)|session|result|setup|generated[\\/](?:client|sdk[\\/](?:sign-in|setup))\.gen)\.ts`,
    String.raw`[\\/]src[\\/]pages[\\/][\w-]+[\\/](?:route|page\.config|search|filters|format-id)\.ts`,
    String.raw`[\\/]src[\\/]shared[\\/](?:Page|Panel|States|Mark|missing-parts|days|format|use-zone|zone-name|browser-storage|notify|use-format|search-params)\.`,
    String.raw`[\\/]libs[\\/](?:money[\\/]|vocabulary[\\/]src[\\/](?:ledger|permissions)\.)`,
  ].join('|'),
);

/** Preact in place of React, for our files and for libraries; `react.ts` adds Mantine's `Activity`. */
const PREACT = [
  { find: /^react$/, replacement: join(import.meta.dirname, 'react.ts') },
  { find: /^react-dom$/, replacement: 'preact/compat' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react\/jsx-(?:dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
];

/** Writes a Brotli and a gzip file beside every text file: the gateway sends them as they are. */
function precompress(): Plugin {
  return {
    name: 'tollgate-precompress',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const entries = await readdir(dir, { recursive: true });
      await Promise.all(
        entries
          .filter((name) => COMPRESSIBLE.test(name))
          .map(async (name) => {
            const path = join(dir, name);
            const body = await readFile(path);
            const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
            await writeFile(`${path}.br`, await promisify(brotliCompress)(body, best));
            await writeFile(`${path}.gz`, await promisify(gzip)(body, { level: 9 }));
          }),
      );
    },
  };
}

export default defineConfig({
  plugins: [precompress()],
  resolve: { conditions: ['@tollgate/source', ...defaultClientConditions], alias: PREACT },
  css: { postcss: { plugins: [mantinePreset()] } },
  build: {
    outDir: 'dist',
    assetsDir: 'console-assets',
    // A data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    rolldownOptions: {
      // Libraries say of themselves that they are for browsers.
      onLog: (level, log, say) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log);
      },
      output: {
        // What every page needs, in few files that change seldom; the rest is split by page.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'preact', test: /node_modules[\\/]preact[\\/]|[\\/]console[\\/]react\.ts/ },
            {
              name: 'routing',
              test: /node_modules[\\/](?:@tanstack[\\/](?:react-router|router-core|history|store|react-store)|use-sync-external-store)[\\/]/,
            },
            { name: 'words', test: /node_modules[\\/](?:i18next|react-i18next)[\\/]/ },
            { name: 'base', test: BASE },
            { name: 'icons', test: /node_modules[\\/]@tabler[\\/]/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  // `vite` alone serves the console over a relay that runs: its address stands in RELAY_URL.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/v1', '/v1beta'].map((path) => [
        path,
        { target: process.env['RELAY_URL'] ?? 'http://127.0.0.1:3000', changeOrigin: false },
      ]),
    ),
  },
});

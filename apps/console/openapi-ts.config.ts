import { defineConfig } from '@hey-api/openapi-ts';

/** The file of an operation's function: one for each tag, so that a page loads what it calls. */
const fileOf = (tag: string | undefined): string | undefined =>
  tag === undefined ? undefined : `sdk/${tag.replaceAll(' ', '-').toLowerCase()}`;

/** One typed client over both services: the gateway serves them at one address. */
export default defineConfig({
  input: '.openapi/console.json',
  output: 'src/api/generated',
  plugins: [
    { name: '@hey-api/client-fetch', baseUrl: false },
    '@hey-api/typescript',
    {
      name: '@hey-api/sdk',
      // The browser sends the cookie by itself.
      auth: false,
      $hooks: { symbols: { getFilePath: ({ meta }) => fileOf(meta?.tags?.[0]) } },
    },
  ],
  logs: { file: false },
});

import { defineConfig } from '@hey-api/openapi-ts';

/** The file of an operation's function: one for each controller, so that a page loads what it calls. */
const fileOf = (name: string): string | undefined => {
  const [, service, controller = ''] = /^(billing|pricing)(\w+?)Controller/.exec(name) ?? [];
  if (service === undefined) return undefined;
  return `sdk/${service}${controller.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
};

/** One typed client over both services: the gateway serves them at one address. */
export default defineConfig({
  input: ['src/api/openapi/billing.json', 'src/api/openapi/pricing.json'],
  output: 'src/api/generated',
  plugins: [
    { name: '@hey-api/client-fetch', baseUrl: false },
    '@hey-api/typescript',
    { name: '@hey-api/sdk', $hooks: { symbols: { getFilePath: ({ name }) => fileOf(name) } } },
  ],
  logs: { file: false },
});

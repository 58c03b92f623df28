import { defineConfig } from '@hey-api/openapi-ts';

/** One typed client over both services: the gateway serves them at one address. */
export default defineConfig({
  input: ['src/api/openapi/billing.json', 'src/api/openapi/pricing.json'],
  output: 'src/api/generated',
  plugins: [{ name: '@hey-api/client-fetch', baseUrl: false }, '@hey-api/typescript', '@hey-api/sdk'],
  logs: { file: false },
});

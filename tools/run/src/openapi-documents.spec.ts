import { Validator } from '@seriousme/openapi-schema-validator';
import { SERVICES } from '@tollgate/api';
import { describeApi } from '@tollgate/api/openapi';
import { describeRelay } from '@tollgate/api/relay-openapi';
import { ERROR_KINDS } from '@tollgate/protocols';

const documents = [
  ...Object.values(SERVICES).map((service) => describeApi(service, service.resources)),
  describeRelay(ERROR_KINDS),
]
  // As it is served.
  .map((document) => JSON.parse(JSON.stringify(document)) as Record<string, unknown>)
  .map((document) => [(document['info'] as { title: string }).title, document] as const);

const validate = (document: Record<string, unknown>) => new Validator().validate(structuredClone(document));

test.each(documents)('the document of %s is one of OpenAPI 3.1', async (_title, document) => {
  expect(document['openapi']).toBe('3.1.0');
  expect(await validate(document)).toEqual({ valid: true });
});

test.each<[string, (text: string) => string]>([
  ['has no title', (text) => text.replace('"title":', '"name":')],
  ['answers without saying what it means', (text) => text.replace('"200":{"description":', '"200":{"says":')],
  ['takes a parameter from nowhere', (text) => text.replace('"in":"header"', '"in":"air"')],
  ['refers to what is not there', (text) => text.replace('#/components/schemas/', '#/components/schemas/No')],
])('a document that %s is none', async (_what, change) => {
  for (const [, document] of documents) {
    const text = JSON.stringify(document);
    const changed = change(text);
    expect(changed).not.toBe(text);
    expect((await validate(JSON.parse(changed) as Record<string, unknown>)).valid).toBe(false);
  }
});

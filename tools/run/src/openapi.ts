// Writes the OpenAPI document that the console's client is generated from: `nx generate console`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@tollgate/api';
import { describeApi } from '@tollgate/api/openapi';

interface Document {
  readonly paths?: Readonly<Record<string, object>>;
  readonly components?: { readonly schemas?: object };
}

const CONSOLE = join(import.meta.dirname, '..', '..', '..', 'apps', 'console');
const { billing, pricing } = SERVICES;

const whole: Document = describeApi(
  { title: 'Tollgate', description: 'Billing and pricing, which the gateway serves at one address.' },
  { ...billing.resources, ...pricing.resources },
);
const paths: Record<string, object> = { ...whole.paths };
const schemas = { ...whole.components?.schemas };
// What the contract does not hold yet is generated from the documents of before.
for (const name of ['billing', 'pricing']) {
  const file = join(CONSOLE, 'src/api/openapi', `${name}.json`);
  const before = JSON.parse(readFileSync(file, 'utf8'), withNullTypes) as Required<Document>;
  for (const [path, operations] of Object.entries(before.paths)) {
    const rest = Object.entries(operations as Record<string, { readonly operationId: string }>)
      .filter(([method]) => !Object.hasOwn(whole.paths?.[path] ?? {}, method))
      .map(([method, operation]) => [
        method,
        { ...operation, operationId: `${name}_${operation.operationId}` },
      ]);
    if (rest.length > 0) paths[path] = { ...paths[path], ...Object.fromEntries(rest) };
  }
  Object.assign(schemas, before.components.schemas);
}
mkdirSync(join(CONSOLE, '.openapi'), { recursive: true });
writeFileSync(
  join(CONSOLE, '.openapi', 'console.json'),
  `${JSON.stringify({ ...whole, paths, components: { ...whole.components, schemas } }, null, 2)}\n`,
);

/** OpenAPI 3.0 says "nullable" of what has a null type in 3.1. */
function withNullTypes(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nullable' in value)) return value;
  const { nullable: _nullable, ...schema } = value;
  return { anyOf: [schema, { type: 'null' }] };
}

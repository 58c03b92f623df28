import type { Manifest } from './manifest.ts';
import { POLICIES } from './policies.ts';
import { readDocumentedSecrets } from './documented-secrets.ts';
import { EXAMPLES, everySet, KUSTOMIZATIONS } from './render.ts';
import { strictFaults } from './strictness.ts';

const SETS = [...KUSTOMIZATIONS, ...EXAMPLES.map((name) => `examples/${name}`)];

let sets: ReadonlyMap<string, readonly Manifest[]>;
const documented = readDocumentedSecrets();

beforeAll(async () => {
  sets = await everySet();
}, 180_000);

test('every document is what the schema of its kind allows, and nothing else', async () => {
  const once = new Map([...sets.values()].flat().map((one) => [JSON.stringify(one), one]));
  expect(once.size).toBeGreaterThan(50);
  expect(await strictFaults([...once.values()])).toEqual([]);
}, 180_000);

describe.each(SETS)('%s', (name) => {
  test.each(POLICIES.map((policy) => [policy.name, policy] as const))('%s', (_name, { faults }) => {
    const documents = sets.get(name) ?? [];
    expect(documents.length).toBeGreaterThan(0);
    expect(faults({ documents, documented })).toEqual([]);
  });
});

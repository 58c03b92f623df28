import type { Manifest } from './manifest.ts';
import { parseDocuments } from './render.ts';
import { strictFaults } from './strictness.ts';

const read = (text: string): readonly Manifest[] => parseDocuments(text);

test.each([
  [
    'a field that its kind does not have',
    'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {port: [{port: 1}]}',
    /"port"' does not exist/,
  ],
  [
    'a field that is deep inside',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {selector: {}, template: {spec: {containers: [{name: a, image: b, ressources: {}}]}}}',
    /ressources/,
  ],
  [
    'a word in place of a number',
    'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: eighty}]}',
    /must be integer/,
  ],
  [
    'what is required and not there',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {selector: {}}',
    /template/,
  ],
  [
    'a kind that the group does not have',
    'apiVersion: apps/v1\nkind: Gadget\nmetadata: {name: a}',
    /no such kind/,
  ],
  ['a group that nobody knows', 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}', /Thing\/a/],
  [
    'a field that a custom resource does not have',
    'apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: a}\nspec: {scaleTargetRef: {name: b}, triggers: [], minReplicas: 1}',
    /minReplicas/,
  ],
  [
    'one that only we have a schema of',
    'apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: a, namespace: b}\nspec: {}',
    /refreshInterval/,
  ],
])(
  '%s is a fault',
  async (_what, text, said) => {
    expect((await strictFaults(read(text))).join('\n')).toMatch(said);
  },
  180_000,
);

test('a document that fits is none', async () => {
  const text = 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}]}';
  expect(await strictFaults(read(text))).toEqual([]);
}, 180_000);

test.each([
  ['text that is no YAML', 'a: [', /flow|Flow|sequence/],
  ['a document without a kind', 'apiVersion: v1\nmetadata: {name: a}', /no kind/],
])('%s is refused', (_what, text, said) => {
  expect(() => read(text)).toThrow(said);
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'oxlint';

/** Files in which something is released at the end of its scope: few enough to be checked with their types. */
const filesWithUsing = globSync('{apps,libs,tools}/*/{src,testing}/**/*.ts', {
  cwd: import.meta.dirname,
}).filter((path) =>
  /^\s*(?:await )?using \w+ =/m.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);

/** What a language of its own finds wrong in any file. */
const CORRECT = [
  'constructor-super',
  'for-direction',
  'getter-return',
  'no-async-promise-executor',
  'no-case-declarations',
  'no-class-assign',
  'no-compare-neg-zero',
  'no-cond-assign',
  'no-const-assign',
  'no-constant-binary-expression',
  'no-constant-condition',
  'no-control-regex',
  'no-debugger',
  'no-delete-var',
  'no-dupe-class-members',
  'no-dupe-else-if',
  'no-dupe-keys',
  'no-duplicate-case',
  'no-empty',
  'no-empty-character-class',
  'no-empty-pattern',
  'no-empty-static-block',
  'no-ex-assign',
  'no-extra-boolean-cast',
  'no-fallthrough',
  'no-func-assign',
  'no-global-assign',
  'no-import-assign',
  'no-invalid-regexp',
  'no-irregular-whitespace',
  'no-loss-of-precision',
  'no-misleading-character-class',
  'no-new-native-nonconstructor',
  'no-nonoctal-decimal-escape',
  'no-obj-calls',
  'no-prototype-builtins',
  'no-redeclare',
  'no-regex-spaces',
  'no-self-assign',
  'no-setter-return',
  'no-shadow-restricted-names',
  'no-sparse-arrays',
  'no-this-before-super',
  'no-unassigned-vars',
  'no-unreachable',
  'no-unsafe-finally',
  'no-unsafe-negation',
  'no-unsafe-optional-chaining',
  'no-unused-labels',
  'no-unused-private-class-members',
  'no-useless-backreference',
  'no-useless-catch',
  'no-useless-escape',
  'no-with',
  'preserve-caught-error',
  'require-yield',
  'use-isnan',
  'valid-typeof',
  'no-array-constructor',
  'no-unused-expressions',
  'no-useless-constructor',
];

/** What the compiler checks itself in TypeScript. */
const CHECKED_BY_TYPES = [
  'constructor-super',
  'getter-return',
  'no-class-assign',
  'no-const-assign',
  'no-dupe-class-members',
  'no-dupe-keys',
  'no-func-assign',
  'no-import-assign',
  'no-new-native-nonconstructor',
  'no-obj-calls',
  'no-redeclare',
  'no-setter-return',
  'no-this-before-super',
  'no-unreachable',
  'no-unsafe-negation',
  'no-with',
];

/** What is stricter for TypeScript than the compiler. */
const STRICT = [
  'typescript/no-duplicate-enum-values',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-extra-non-null-assertion',
  'typescript/no-misused-new',
  'typescript/no-namespace',
  'typescript/no-non-null-asserted-nullish-coalescing',
  'typescript/no-non-null-asserted-optional-chain',
  'typescript/no-non-null-assertion',
  'typescript/no-require-imports',
  'typescript/no-this-alias',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unsafe-declaration-merging',
  'typescript/no-unsafe-function-type',
  'typescript/no-wrapper-object-types',
  'typescript/prefer-as-const',
  'typescript/prefer-literal-enum-member',
  'typescript/prefer-namespace-keyword',
  'typescript/triple-slash-reference',
  'typescript/unified-signatures',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
];

const all = (names: readonly string[], severity: 'error' | 'off') =>
  Object.fromEntries(names.map((name) => [name, severity]));

export default defineConfig({
  plugins: ['typescript', 'import'],
  jsPlugins: ['./tools/run/lint/rules.mjs'],
  categories: { correctness: 'off' },
  options: { typeAware: true },
  env: { builtin: true },
  ignorePatterns: [
    '**/dist',
    '**/bundle',
    '**/node_modules',
    '.nx',
    '.tollgate*',
    'apps/console/src/*/generated',
  ],
  rules: {
    ...all(CORRECT, 'error'),
    ...all(STRICT, 'error'),
    'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
    'typescript/no-extraneous-class': ['error', { allowWithDecorator: true }],
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    // A name that begins with "_" is taken out of an object to leave it behind.
    'no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
    eqeqeq: 'error',
    'import/no-duplicates': 'error',
  },
  overrides: [
    { files: ['**/*.ts', '**/*.tsx'], rules: all(CHECKED_BY_TYPES, 'off') },
    {
      files: ['**/*.mjs'],
      env: { node: true },
      rules: { 'no-undef': 'error' },
    },
    {
      // Without `await`, what the promise works with is released before it has settled.
      files: filesWithUsing,
      rules: { 'typescript/return-await': ['error', 'in-try-catch'] },
    },
    { files: ['tools/**/*.ts'], rules: { 'tollgate/erasable-syntax': 'error' } },
    {
      files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
      rules: { 'tollgate/typed-rows': 'error' },
    },
    {
      // A migration may import nothing that would hold its rows to a schema.
      files: [
        '**/*.spec.ts',
        'apps/{console,e2e}/**',
        'libs/platform/src/sql.ts',
        'apps/*/src/database/migrations/[0-9]*.ts',
      ],
      rules: { 'tollgate/typed-rows': 'off' },
    },
    {
      files: ['apps/*/src/database/migrations/[0-9]*.ts'],
      rules: { 'tollgate/frozen-imports': 'error', 'tollgate/frozen-sql': 'error' },
    },
  ],
});

import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Arrows point down only: which lib may import which. Specs may also use the harness that starts real servers. */
const boundaries = (...specs) => {
  const mayImport = (scope, ...others) => ({
    sourceTag: `scope:${scope}`,
    onlyDependOnLibsWithTags: ['vocabulary', ...others, ...specs].map((other) => `scope:${other}`),
  });
  const forApps = ['type:domain', 'type:platform', 'type:contract', 'type:tool', 'scope:simulator'];
  // The page of the simulator's rules is written by a tool.
  const forTools = ['type:tool', 'type:contract', 'type:domain', 'scope:simulator'];
  return [
    'error',
    {
      banTransitiveDependencies: false,
      depConstraints: [
        { sourceTag: 'scope:vocabulary', onlyDependOnLibsWithTags: specs.map((other) => `scope:${other}`) },
        mayImport('money'),
        mayImport('catalogue', 'money'),
        mayImport('contracts', 'catalogue'),
        mayImport('protocols'),
        mayImport('metering', 'protocols'),
        mayImport('limits', 'catalogue', 'contracts'),
        mayImport('api', 'catalogue', 'contracts', 'money'),
        mayImport('platform', 'contracts', 'api'),
        { sourceTag: 'type:app', onlyDependOnLibsWithTags: forApps },
        { sourceTag: 'type:tool', onlyDependOnLibsWithTags: forTools },
        { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['*'] },
      ],
    },
  ];
};

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', '.nx', '.tollgate*', 'apps/console/src/api/generated'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  prettier,
  { plugins: { '@nx': nx }, rules: { '@nx/enforce-module-boundaries': boundaries() } },
  { files: ['**/*.spec.ts'], rules: { '@nx/enforce-module-boundaries': boundaries('harness') } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // A name that begins with "_" is taken out of an object to leave it behind.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
    },
  },
  {
    // Node runs the tools as they are: it takes types away and translates nothing.
    files: ['tools/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'TSEnumDeclaration, TSParameterProperty, TSImportEqualsDeclaration, TSExportAssignment, Decorator',
          message: 'Node cannot run this without a build.',
        },
      ],
    },
  },
  {
    // What has been applied somewhere must stay what it was: literal SQL, whatever becomes of our code.
    files: ['apps/*/src/database/migrations/[0-9]*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(ImportDeclaration:not([importKind="type"][source.value="typeorm"]), ImportExpression)',
          message: 'A migration is frozen: it imports nothing but types of typeorm.',
        },
        {
          selector: 'TemplateLiteral[expressions.length>0]',
          message: 'A migration is frozen: its SQL is literal.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        Buffer: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);

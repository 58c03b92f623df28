import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Files in which something is released at the end of its scope: few enough to be checked with their types. */
const filesWithUsing = globSync('{apps,libs,tools}/*/{src,testing}/**/*.ts', {
  cwd: import.meta.dirname,
}).filter((path) =>
  /^\s*(?:await )?using \w+ =/m.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);

export default tseslint.config(
  {
    ignores: ['**/dist', '**/bundle', '**/node_modules', '.nx', '.tollgate*', 'apps/console/src/*/generated'],
  },
  js.configs.recommended,
  ...tseslint.configs.strict,
  prettier,
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
    // Without `await`, what the promise works with is released before it has settled.
    files: filesWithUsing,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { '@typescript-eslint/return-await': ['error', 'in-try-catch'] },
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
    // Rows come through libs/platform/src/sql.ts, which holds them to a schema (docs/adr/0026). `query()` itself is for what
    // answers nothing and for streams.
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', 'apps/{console,e2e}/**', 'libs/platform/src/sql.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          ':not(ExpressionStatement, UnaryExpression[operator="void"]) > AwaitExpression > CallExpression',
          ':not(AwaitExpression) > CallExpression:not([arguments.0.type=/^(New|Call)Expression$/])',
        ].map((call) => ({
          selector: `${call}[callee.property.name="query"]`,
          message:
            'Take rows with readRows, readRow, requireRow, hasRows or countChanged of @tollgate/platform.',
        })),
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

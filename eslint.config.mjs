import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Arrows point down only: which lib may import which. */
const mayImport = (scope, ...others) => ({
  sourceTag: `scope:${scope}`,
  onlyDependOnLibsWithTags: others.map((other) => `scope:${other}`),
});

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', '.nx', '.tollgate*'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  prettier,
  {
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          banTransitiveDependencies: false,
          depConstraints: [
            mayImport('contracts'),
            mayImport('money'),
            mayImport('protocols'),
            mayImport('metering', 'protocols'),
            mayImport('limits', 'contracts'),
            mayImport('platform', 'contracts'),
            {
              sourceTag: 'type:app',
              onlyDependOnLibsWithTags: [
                'type:domain',
                'type:platform',
                'type:contract',
                'type:tool',
                'scope:simulator',
              ],
            },
            { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['type:tool', 'type:contract'] },
            { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['*'] },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      eqeqeq: 'error',
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

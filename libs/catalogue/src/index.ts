export * from './complete-prices.ts';
export * from './diff.ts';
export * from './hash.ts';
export * from './input-schema.ts';
export * from './model-dialect.ts';
export * from './schema.ts';

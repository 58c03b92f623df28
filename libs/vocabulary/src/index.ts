export * from './ledger.ts';
export * from './costly-features.ts';
export * from './operations.ts';
export * from './permissions.ts';
export * from './protocols.ts';
export * from './service-tiers.ts';
export * from './token-kinds.ts';
export * from './unit-kinds.ts';

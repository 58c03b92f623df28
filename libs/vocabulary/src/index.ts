export * from './ledger.ts';
export * from './costly-features.ts';
export * from './operations.ts';
export * from './permissions.ts';
export * from './protocols.ts';
export * from './token-kinds.ts';

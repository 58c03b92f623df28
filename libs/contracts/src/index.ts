export * from './token-kinds.ts';
export * from './protocol.ts';
export * from './rate-limit.ts';
export * from './usage-event.ts';
export * from './key-record.ts';
export * from './price-snapshot.ts';
export * from './session.ts';
export * from './messages.ts';

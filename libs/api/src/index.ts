export * from './route.ts';
export { errorAnswer, idOf, timestamp, usdAmount } from './common.ts';
export { HOLDABLE_FIELDS, type HoldableField, keys, limitsBody } from './keys.ts';
export { SERVICES } from './services.ts';

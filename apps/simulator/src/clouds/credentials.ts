/** What the simulated clouds take, for whoever tests a relay. */
export { makeLongTermSecret } from './aws-keys.ts';
export { EXTERNAL_ID } from './aws-identity.ts';
export { appSecret } from './azure-identity.ts';
export { verifySignature } from './sigv4.ts';

import { relayError } from '@tollgate/protocols';

/** What is refused while this gateway has none of what it serves with. */
const notReady = (message: string) => relayError('unavailable', message, { retryAfterMs: 1_000 });

export const NO_PRICES = notReady('Prices are not loaded yet. Try again shortly.');
export const USAGE_NOT_STORED = notReady('Usage cannot be recorded at the moment. Try again shortly.');

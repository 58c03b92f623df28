import { useState } from 'react';

/** What a service knows a doing by. `crypto.randomUUID` is not there on plain HTTP; this is. */
const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** One key for as long as a dialog is open: what is sent twice from it is done once. */
export const useIdempotencyKey = (): string => useState(newIdempotencyKey)[0];

import { useState } from 'react';

/** `crypto.randomUUID` is not there on plain HTTP; this is. */
export const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What a service knows a doing by: one key for as long as a dialog is open: what is sent twice from it is done once. */
export const useIdempotencyKey = (): string => useState(randomId)[0];

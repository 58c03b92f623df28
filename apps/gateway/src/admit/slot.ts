import { randomUUID } from 'node:crypto';

const PROCESS = randomUUID();
let made = 0;

/** The name of a place among requests at once, unlike that of any other request on any gateway. */
export const newSlot = (): string => `${PROCESS}:${(made += 1)}`;

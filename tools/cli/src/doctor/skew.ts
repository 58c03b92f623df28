import { type Finding, ok, warn } from './finding.ts';

const MAX_MS = 1_000;

/** How far a server's clock is from ours, given when we asked and what it said, all in milliseconds. */
export function skewFinding(server: string, asked: number, said: number, answered: number): Finding {
  const away = Math.round(said - (asked + answered) / 2);
  const isFar = Math.abs(away) > MAX_MS + (answered - asked) / 2;
  const found = `${Math.abs(away)} ms ${away < 0 ? 'behind' : 'ahead of'} this machine`;
  return isFar
    ? warn(`clock of ${server}`, found, 'Let NTP set both clocks: budgets and periods begin and end by them.')
    : ok(`clock of ${server}`, found);
}

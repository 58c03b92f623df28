/** Everything that may be measured; `before` is the gateway of another checkout, `processes` one of several processes. */
export const CONTESTANTS = [
  'direct',
  'nginx',
  'go',
  'bare',
  'portkey',
  'before',
  'tollgate',
  'processes',
] as const;

/** A relay that is measured, and who else works for it. */
export interface Contestant {
  readonly name: (typeof CONTESTANTS)[number];
  readonly port: number;
  /** Headers that every request to it needs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: () => number;
  /** Other processes whose work is for this one's requests. */
  readonly others: Readonly<Record<string, () => number>>;
  /** Ends it and starts it again; resolves to the milliseconds from then until it was ready. */
  restart(): Promise<number>;
}

export const isTollgate = ({ name }: Contestant): boolean =>
  name === 'tollgate' || name === 'before' || name === 'processes';

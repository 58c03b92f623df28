/** What one check of the doctor found. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** What was found. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const ok = (what: string, found: string): Finding => ({ level: 'ok', what, found });
export const warn = (what: string, found: string, advice: string): Finding => ({
  level: 'warn',
  what,
  found,
  advice,
});
export const fail = (what: string, found: string, advice: string): Finding => ({
  level: 'fail',
  what,
  found,
  advice,
});

/** A check that could not look because a setting is missing. */
export const unset = (what: string, variable: string): Finding =>
  warn(
    what,
    `${variable} is not set, so this was not looked at`,
    `Run it with the services' own environment.`,
  );

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** Each finding on a line, with what to do below it. */
export const findingsText = (findings: readonly Finding[]): string =>
  findings
    .flatMap(({ level, what, found, advice }) => [
      `${MARKS[level]}  ${what}: ${found}`,
      ...(advice === undefined ? [] : [`      ${advice}`]),
    ])
    .join('\n');

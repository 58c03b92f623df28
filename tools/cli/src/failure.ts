/** Something that the person at the terminal can act on: what is wrong, and what to do. It is shown without a stack. */
export class Failure extends Error {
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }
}

/** The text of a failure, with its advice on a line of its own. */
export const failureText = (error: Failure): string =>
  error.advice === undefined ? error.message : `${error.message}\n${error.advice}`;

/** Why somebody was not reached: `fetch` has it as a cause, and a name of several addresses says no more than a code. */
export function toReason(error: Error & { readonly code?: unknown }): string {
  if (error.cause instanceof Error) return toReason(error.cause);
  return error.message || String(error.code ?? error.name);
}

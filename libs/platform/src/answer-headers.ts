/** Of what a service itself answers: nobody guesses another type, and nobody keeps what is said to one caller. */
export const API_ANSWER = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

const YEAR_S = 31_536_000;

/**
 * What every answer of a service says, unless its route says otherwise.
 *
 * @param publicUrl where browsers find the deployment: one that is served over https is asked for over nothing else from
 *   then on.
 */
export const answerHeadersAt = (publicUrl: string | undefined): Readonly<Record<string, string>> => ({
  ...API_ANSWER,
  ...(publicUrl?.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
});

import { errorAnswer } from '@tollgate/api';
import { REAUTHENTICATION_REQUIRED } from '@tollgate/contracts';
import { Failure } from '../failure.ts';

/** A refusal of the API, with its status, that tells in the API's words what is wrong. */
export class Refusal extends Failure {
  readonly status: number;

  constructor(status: number, message: string, advice?: string) {
    super(message, advice);
    this.status = status;
  }
}

/** What an answer without success means for the person at the terminal. */
export async function refusal(answer: Response, signIn: string): Promise<Refusal> {
  const text = await answer.text().catch(() => '');
  const parsed = errorAnswer.safeParse(jsonOf(text));
  const said = parsed.success
    ? parsed.data.error.message
    : `${new URL(answer.url).pathname} answered ${answer.status}.`;
  return new Refusal(answer.status, said, adviceFor(answer, signIn, parsed.data?.error.code));
}

function adviceFor(answer: Response, signIn: string, code: string | null | undefined): string | undefined {
  if (code === REAUTHENTICATION_REQUIRED)
    return 'The session of TOLLGATE_SESSION was begun too long ago for this. Take a new one, or set TOLLGATE_EMAIL and TOLLGATE_PASSWORD.';
  switch (answer.status) {
    case 401:
      return signIn;
    case 403:
      return 'Sign in as somebody whose role allows it; GET /api/auth/session tells yours.';
    case 404:
      return 'Check the id or name; the list commands show what there is.';
    case 429: {
      const after = answer.headers.get('retry-after');
      return after === null ? 'Try again later.' : `Try again in ${after} s.`;
    }
    default:
      return answer.status >= 500 ? 'Try again shortly; `tollgate doctor` looks for the cause.' : undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

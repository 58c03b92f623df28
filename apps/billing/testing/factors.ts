import { waitFor } from '@tollgate/harness';
import { generateSync } from 'otplib';
import type { TestEnvironment } from './test-environment.ts';
import { readCookie, logIn } from './people.ts';

/** How long a code is shown. */
const STEP_MS = 30_000;

let browsers = 0;

/** A browser: it keeps the cookie that it was given last. */
export class TestBrowser {
  cookie = '';
  /** Of its own, where the service trusts what is said of that. */
  readonly address = `203.0.113.${(browsers = (browsers + 1) % 255)}`;
  constructor(readonly url: string) {}

  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: T; readonly headers: Headers }> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        cookie: this.cookie,
        'x-forwarded-for': this.address,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    this.#keep(answer);
    const text = await answer.text();
    return {
      status: answer.status,
      body: (text === '' ? null : JSON.parse(text)) as T,
      headers: answer.headers,
    };
  }

  /** A cookie takes the place of one of its name. */
  #keep(answer: Response): void {
    const named = (cookies: string) =>
      cookies.split('; ').flatMap((each) => (each === '' ? [] : [[each.split('=')[0], each] as const]));
    this.cookie = [...new Map([...named(this.cookie), ...named(readCookie(answer))]).values()].join('; ');
  }

  /** Shows the password, and answers the status. */
  async password(email: string, password?: string): Promise<number> {
    const answer = await logIn(this.url, email, password, this.cookie);
    this.#keep(answer);
    await answer.arrayBuffer();
    return answer.status;
  }

  /** Whether somebody is signed in. */
  async isIn(): Promise<boolean> {
    return (await this.send('GET', '/api/auth/session')).status === 200;
  }

  /** Shows the code before that of now; where a step ends before the answer, that was refused for its age, and the next is shown. */
  async confirmTotp(secret: string) {
    for (;;) {
      const step = Math.floor(Date.now() / STEP_MS);
      const code = totpCode(secret, -1);
      const done = await this.send<{ recovery_codes: string[] | null; session?: object }>(
        'POST',
        '/api/auth/factors/totp/confirm',
        { code },
      );
      if (done.status === 200 || Math.floor(Date.now() / STEP_MS) === step) return done;
    }
  }

  /** Adds an app, and answers what it shares with us and the recovery codes that came with it. */
  async addTotp(): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] | null }> {
    const begun = await this.send<{ secret: string }>('POST', '/api/auth/factors/totp', {});
    const { secret } = begun.body;
    const done = await this.confirmTotp(secret);
    if (done.status !== 200) throw new Error(`no app was added: ${done.status} ${JSON.stringify(done.body)}`);
    return { secret, recoveryCodes: done.body.recovery_codes };
  }
}

/**
 * What an app shows.
 *
 * @param steps from now: a code is good once, so that tests take the one before, of now and the next in turn.
 */
export const totpCode = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor((Date.now() + STEP_MS * steps) / 1_000) });

/**
 * Lets work be done on somebody's factor by so many at a time: each waits for the row, so that none is done before all have
 * begun.
 */
export async function atOnce<T>(
  { database }: Pick<TestEnvironment, 'database'>,
  table: 'totp' | 'passkey',
  userId: string,
  count: number,
  work: () => Promise<T>,
): Promise<T> {
  const runner = database.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(`SELECT 1 FROM billing.${table} WHERE user_id = $1 FOR UPDATE`, [userId]);
    const done = work();
    await waitFor(async () => {
      const [row]: { waiting: number }[] = await database.query(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE billing.${table}%'`,
      );
      return row?.waiting === count;
    }, `${count} who wait for the row`);
    await runner.commitTransaction();
    return await done;
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

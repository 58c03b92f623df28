import type { Session } from '@tollgate/contracts';
import { parseSessionId } from './session-cookie.ts';
import type { Sessions } from './session-store.ts';

/** Answers other services who is signed in with a Cookie header. */
export class SessionLookup {
  constructor(
    private readonly sessions: Sessions,
    private readonly secret: string,
  ) {}

  async find(cookieHeader: string): Promise<Session | null> {
    return (await this.#find(cookieHeader))?.session ?? null;
  }

  /** Whether whoever is signed in proved lately who they are. */
  async isFresh(cookieHeader: string): Promise<boolean> {
    return (await this.#find(cookieHeader))?.isFresh ?? false;
  }

  async #find(cookieHeader: string) {
    const id = parseSessionId(cookieHeader, this.secret);
    return id === undefined ? null : this.sessions.find(id);
  }
}

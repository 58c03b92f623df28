import { httpError } from '@tollgate/platform';

/** Whose report it is. */
interface Reader {
  readonly user_id: string;
  readonly account_id: string;
}

const LIMITS = {
  /** Reports under way at a time, of a person and of all people of an account. */
  perPerson: 3,
  perAccount: 4,
  /** More of a person wait for their turn, in the order in which they were asked for. A page of the console asks for few. */
  waiting: 12,
};

export interface ReportTurns {
  /**
   * Waits for a turn. @returns what ends it; must be called once.
   * @throws HttpException 429 when too many of this person wait already.
   */
  take(reader: Reader): Promise<() => void>;
  /** Does a part of a report that has begun: it waits as long as it takes. */
  part<T>(reader: Reader, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly reader: Reader;
  readonly begin: () => void;
}

/**
 * Bounds the reports that are under way, so that nobody has the connections for them to themselves: neither a person, nor
 * the people of one account. It counts for this process.
 */
export function createReportTurns(limits: typeof LIMITS = LIMITS): ReportTurns {
  const running = new Map<string, number>();
  let queue: Waiting[] = [];

  const countOf = (id: string): number => running.get(id) ?? 0;
  const add = (id: string, by: 1 | -1): void => {
    const count = countOf(id) + by;
    if (count === 0) running.delete(id);
    else running.set(id, count);
  };
  const mayBegin = ({ user_id, account_id }: Reader): boolean =>
    countOf(user_id) < limits.perPerson && countOf(account_id) < limits.perAccount;

  function begin({ user_id, account_id }: Reader): () => void {
    for (const id of [user_id, account_id]) add(id, 1);
    return () => {
      for (const id of [user_id, account_id]) add(id, -1);
      queue = queue.filter((waiting) => {
        if (!mayBegin(waiting.reader)) return true;
        waiting.begin();
        return false;
      });
    };
  }

  const wait = (reader: Reader): Promise<() => void> =>
    mayBegin(reader)
      ? Promise.resolve(begin(reader))
      : new Promise((resolve) => queue.push({ reader, begin: () => resolve(begin(reader)) }));

  return {
    async take(reader) {
      const waiting = queue.filter((each) => each.reader.user_id === reader.user_id).length;
      if (waiting >= limits.waiting)
        throw httpError(
          429,
          `${limits.perPerson} reports of yours are under way and ${waiting} wait. Ask again when some of them are done.`,
          null,
          'too_many_reports',
          { max: limits.perPerson },
        );
      return wait(reader);
    },
    async part(reader, work) {
      const end = await wait(reader);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}

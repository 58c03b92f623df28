import { accounts } from '@tollgate/api';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import type { Api } from './client.ts';

/**
 * The id of an account that a person names by its id, by its name or by a part of that which only it has.
 *
 * @throws Failure when there is none or more than one.
 */
export async function accountId(api: Api, named: string): Promise<string> {
  if (z.uuid().safeParse(named).success) return named.toLowerCase();
  const { items } = await api.ask(accounts.listAccounts, { query: { limit: 20, find: named } });
  const exact = items.filter(({ name }) => name === named);
  const [only, another] = exact.length > 0 ? exact : items;
  if (!only)
    throw new Failure(`There is no account "${named}".`, 'Name it by its name, its id or an e-mail address.');
  if (another)
    throw new Failure(
      `"${named}" may be any of ${items.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
      'Name it by its id.',
    );
  return only.id;
}

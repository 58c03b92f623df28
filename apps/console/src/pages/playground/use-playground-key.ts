import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { createKey, KEYS, type NewApiKey } from '../../api/keys.ts';
import { keptKey, KEY_BUDGET_USD, type TemporaryKey, usableKey } from './temporary-key.ts';

export interface PlaygroundKey {
  /** A key that the person brought along; empty is the playground's own. */
  readonly own: string;
  readonly setOwn: (key: string) => void;
  /** The playground's own, once there is one. */
  readonly temporary: TemporaryKey | null;
  /** The key to ask with; made where there is none yet, once however many ask. */
  readonly get: () => Promise<string>;
  /** The next request makes a new one. */
  readonly renew: () => void;
}

/** The key that the playground asks with, for a group of models. */
export function usePlaygroundKey(group: string, userId: string): PlaygroundKey {
  const queryClient = useQueryClient();
  const [own, setOwn] = useState('');
  const [, setMade] = useState(0);
  const making = useRef<Promise<TemporaryKey> | null>(null);
  const find = () => usableKey(keptKey.read(), { group, userId, now: Date.now() });

  const make = async (): Promise<TemporaryKey> => {
    making.current ??= makeTemporaryKey(group, userId).finally(() => {
      making.current = null;
      setMade((times) => times + 1);
      void queryClient.invalidateQueries({ queryKey: KEYS });
    });
    return making.current;
  };
  return {
    own,
    setOwn,
    temporary: find(),
    get: async () => own || (find() ?? (await make())).key,
    renew: () => {
      keptKey.forget();
      setMade((times) => times + 1);
    },
  };
}

const KEY_NAME = 'Playground';
const HOUR_MS = 3_600_000;

/** Makes a key with a small budget that ends within the hour. @throws ApiError */
async function makeTemporaryKey(group: string, userId: string): Promise<TemporaryKey> {
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const made: NewApiKey = await createKey({
    name: KEY_NAME,
    group,
    expires_at: until,
    temporary: true,
    budgets: { total_usd: KEY_BUDGET_USD },
  });
  const key = { key: made.key, masked: made.masked, group, userId, until };
  keptKey.write(key);
  return key;
}

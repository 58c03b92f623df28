import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { KEYS } from '../../api/keys.ts';
import { makeTemporaryKey } from './make-temporary-key.ts';
import { keptKey, type TemporaryKey, usableKey } from './temporary-key.ts';

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

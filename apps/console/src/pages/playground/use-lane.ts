import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/result.ts';
import { begun, changed, type Conversation, type Input, isRunning, listTurns } from './conversation.ts';
import type { Refusal } from './progress.ts';
import type { ReadSettings } from './parameters.ts';
import type { LaneSetup } from './setup.ts';

interface Asking extends LaneSetup {
  readonly settings: ReadSettings;
  /** The key to ask with; it may have to be made first. */
  readonly key: () => Promise<string>;
  /** Told when the relay does not take the key. */
  readonly onKeyRefused: () => void;
}

export interface Lane {
  readonly conversation: Conversation;
  readonly isRunning: boolean;
  readonly send: (input: Input, asking: Asking) => void;
  /** Sends once more what failed last. */
  readonly retry: (asking: Asking) => void;
  readonly stop: () => void;
  /** Goes on from what was said before; from nothing where that is empty. */
  readonly load: (conversation: Conversation) => void;
}

/** What speaks with the relay: the page is there before it. */
const loadRelay = () => Promise.all([import('./ask-relay.ts'), import('./formats/formats.ts')]);

let lastId = 0;

/** One conversation with one model. Leaving the page stops what runs. */
export function useLane(): Lane {
  const [conversation, setConversation] = useState<Conversation>([]);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => {
    void loadRelay();
    return stop;
  }, [stop]);

  const run = async (before: Conversation, input: Input, asking: Asking): Promise<void> => {
    const { model, format: formatId, settings } = asking;
    const controller = new AbortController();
    running.current = controller;
    lastId += 1;
    const id = lastId;
    setConversation(begun(before, { id, input, model, format: formatId, request: null }));
    const tell = (change: Parameters<typeof changed>[2]) =>
      setConversation((now) => changed(now, id, change));
    try {
      const [{ askRelay, toRequest }, { FORMATS }] = await loadRelay();
      const format = FORMATS[formatId];
      const request = toRequest(format, { ...settings, model, turns: listTurns(before, input) });
      tell({ request });
      const key = await asking.key();
      for await (const progress of askRelay({ format, request, key, signal: controller.signal })) {
        tell(progress);
        if (progress.refusal?.status === 401) asking.onKeyRefused();
      }
    } catch (error) {
      tell({ status: 'failed', refusal: toRefusal(error) });
    }
  };

  return {
    conversation,
    isRunning: isRunning(conversation),
    send: (input, asking) => void run(conversation, input, asking),
    retry: (asking) => {
      const last = conversation.at(-1);
      if (last?.status === 'failed') void run(conversation.slice(0, -1), last.input, asking);
    },
    stop,
    load: (kept) => {
      stop();
      lastId = Math.max(lastId, ...kept.map(({ id }) => id));
      setConversation(kept);
    },
  };
}

/** Why no key could be had, in the form of a refused request. */
const toRefusal = (error: unknown): Refusal => ({
  status: error instanceof ApiError ? error.status : 0,
  message: error instanceof ApiError ? error.message : '',
  retryAfterS: null,
});

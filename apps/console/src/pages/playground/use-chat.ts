import { useEffect, useRef, useState } from 'react';
import type { PricedModel } from '../../api/pricing.ts';
import { randomId } from '../../shared/idempotency-key.ts';
import { type Input, openCalls } from './conversation.ts';
import { type KeptChat, keptChats } from './kept-chats.ts';
import { readSettings, type Settings, toSettings } from './parameters.ts';
import type { PlaygroundSearch } from './search.ts';
import { type LaneSetup, MAX_LANES, toLanes, toSearch } from './setup.ts';
import { type Lane, useLane } from './use-lane.ts';
import type { PlaygroundKey } from './use-playground-key.ts';

type Change = (change: { [name in keyof PlaygroundSearch]?: PlaygroundSearch[name] | undefined }) => void;

interface ChatContext {
  readonly search: PlaygroundSearch;
  readonly models: readonly PricedModel[];
  readonly apiKey: PlaygroundKey;
  readonly userId: string;
  readonly onChange: Change;
}

interface UsedLane {
  readonly setup: LaneSetup;
  readonly lane: Lane;
}

interface KeptContext extends Pick<ChatContext, 'search' | 'userId'> {
  readonly lanes: readonly Lane[];
  readonly used: readonly UsedLane[];
  readonly settings: Settings;
  readonly onOpen: (settings: Settings) => void;
}

/** Keeps what is said in the browser, and opens the chat that the address names. */
function useKeptChat({ search, userId, lanes, used, settings, onOpen }: KeptContext) {
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (search.chat === opened.current) return;
    opened.current = search.chat;
    const kept = keptChats.list(userId).find(({ id }) => id === search.chat);
    lanes.forEach((lane, index) => lane.load(kept?.lanes[index]?.conversation ?? []));
    if (kept) onOpen(kept.settings);
    // A chat that begins is there before its address is: nothing is opened until that changes.
  }, [search.chat]);

  const isBusy = used.some(({ lane }) => lane.isRunning);
  const said = used.reduce((sum, { lane }) => sum + lane.conversation.length, 0);
  useEffect(() => {
    const { current: id } = opened;
    if (id === undefined || said === 0) return;
    const kept = used.map(({ setup, lane: { conversation } }) => ({ ...setup, conversation }));
    keptChats.keep({ id, userId, at: new Date().toISOString(), settings, lanes: kept });
    // What comes in between is kept with the end of the answer.
  }, [isBusy, said]);
  return opened;
}

/** One prompt to as many models as lanes; the browser keeps what was said, and the address says which chat it is. */
export function useChat({ search, models, apiKey, userId, onChange }: ChatContext) {
  const lanes = [useLane(), useLane(), useLane(), useLane()];
  const [settings, setSettings] = useState<Settings>(() => toSettings(search.settings));
  const setups = toLanes(search, models);
  const used = setups.flatMap((setup, index): readonly UsedLane[] => {
    const lane = lanes[index];
    return lane ? [{ setup, lane }] : [];
  });
  const opened = useKeptChat({ search, userId, lanes, used, settings, onOpen: setSettings });
  const isBusy = used.some(({ lane }) => lane.isRunning);
  const isEmpty = used.every(({ lane }) => lane.conversation.length === 0);
  const asks = (setup: LaneSetup, now = settings) => ({
    ...setup,
    settings: readSettings(now),
    key: apiKey.get,
    onKeyRefused: apiKey.renew,
  });
  const begin = () => {
    if (opened.current !== undefined) return;
    opened.current = randomId();
    onChange({ chat: opened.current, prompt: undefined });
  };
  const setLanes = (next: readonly LaneSetup[]) =>
    onChange({ model: undefined, format: undefined, beside: undefined, ...toSearch(next) });

  return {
    used,
    settings,
    setSettings,
    read: readSettings(settings),
    isBusy,
    isEmpty,
    isWaitingForResults: used.some(({ lane }) => openCalls(lane.conversation).length > 0),
    mayAdd: setups.length > 0 && setups.length < Math.min(MAX_LANES, models.length),
    sendAll(input: Input, now = settings) {
      begin();
      used.forEach(({ lane, setup }) => lane.send(input, asks(setup, now)));
    },
    send: ({ lane, setup }: UsedLane, input: Input) => lane.send(input, asks(setup)),
    retry: ({ lane, setup }: UsedLane) => lane.retry(asks(setup)),
    stop: () => used.forEach(({ lane }) => lane.stop()),
    startOver: () => onChange({ chat: undefined, prompt: undefined }),
    open: (chat: KeptChat) =>
      onChange({ beside: undefined, settings: undefined, ...toSearch(chat.lanes), chat: chat.id }),
    change: (index: number, setup: Partial<LaneSetup>) => {
      if (index === 0) onChange({ model: setup.model, format: setup.format });
      else {
        const { model = '', format } = setup;
        const text = format === undefined ? model : `${model}@${format}`;
        onChange({ beside: (search.beside ?? []).with(index - 1, text) });
      }
    },
    add() {
      const next = models.find(({ model_name: name }) => setups.every(({ model }) => model !== name));
      const { beside = [] } = search;
      onChange({ beside: [...beside, next?.model_name ?? setups[0]?.model ?? ''] });
    },
    keepFirst() {
      lanes.slice(1).forEach(({ load }) => load([]));
      onChange({ beside: undefined });
    },
    /** Lanes after it take its place, with what was said in them. */
    remove(index: number) {
      lanes.slice(index).forEach((lane, at) => lane.load(lanes[index + at + 1]?.conversation ?? []));
      setLanes(setups.toSpliced(index, 1));
    },
  };
}

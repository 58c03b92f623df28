import { browserStorage } from '../../shared/browser-storage.ts';
import type { Conversation, Exchange, Input } from './conversation.ts';
import { isJson } from './formats/format.ts';
import { type Settings, toSettings } from './parameters.ts';
import type { LaneSetup } from './setup.ts';

interface KeptLane extends LaneSetup {
  readonly conversation: Conversation;
}

/** A conversation that this browser keeps, with all its lanes. */
export interface KeptChat {
  readonly id: string;
  /** Whose it is: somebody else at this browser does not see it. */
  readonly userId: string;
  /** When it went on last. */
  readonly at: string;
  readonly settings: Settings;
  readonly lanes: readonly KeptLane[];
}

const MAX_CHATS = 30;
/** Browsers give a site some five million. */
const MAX_LETTERS = 2_000_000;

/** The chats with one that began or went on, newest first; the oldest go where there are too many or they are too long. */
export function withChat(before: readonly KeptChat[], chat: KeptChat): readonly KeptChat[] {
  const kept: KeptChat[] = [];
  let letters = 0;
  for (const each of [chat, ...before.filter(({ id }) => id !== chat.id)].slice(0, MAX_CHATS)) {
    const fitting = fit(each);
    letters += JSON.stringify(fitting).length;
    if (letters > MAX_LETTERS) break;
    kept.push(fitting);
  }
  return kept;
}

const fit = (chat: KeptChat): KeptChat =>
  JSON.stringify(chat).length <= MAX_LETTERS / 4 ? chat : withoutPictures(chat);

/** Pictures, and requests, which repeat all that was said before them, are most of what is long. */
const withoutPictures = (chat: KeptChat): KeptChat => ({
  ...chat,
  lanes: chat.lanes.map((lane) => ({
    ...lane,
    conversation: lane.conversation.map((exchange) => ({
      ...exchange,
      request: null,
      input: withoutPicture(exchange.input),
    })),
  })),
});

const withoutPicture = (input: Input): Input =>
  input.kind === 'prompt' ? { ...input, pictures: [] } : input;

/** What runs when it is kept was stopped when it is seen again. */
const atRest = (exchange: Exchange): Exchange =>
  exchange.status === 'running' ? { ...exchange, status: 'stopped' } : exchange;

/** What somebody said first, to tell their chats apart. */
export function findTitle({ lanes }: KeptChat): string {
  const prompt = lanes
    .flatMap(({ conversation }) => conversation)
    .find(({ input }) => input.kind === 'prompt')?.input;
  return prompt?.kind === 'prompt' ? prompt.text.trim() : '';
}

const isChat = (value: unknown): value is KeptChat =>
  isJson(value) && typeof value['id'] === 'string' && Array.isArray(value['lanes']);

/** The chats of a text that was stored; none of one that was not written here. */
export function parseChats(text: string | null): readonly KeptChat[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return (list as unknown[]).filter(isChat).map((chat) => ({
      ...chat,
      settings: toSettings(chat.settings),
      lanes: chat.lanes.map((lane) => ({ ...lane, conversation: lane.conversation.map(atRest) })),
    }));
  } catch {
    return [];
  }
}

/** The chats of one person in this browser. */
export const keptChats = {
  list: (userId: string): readonly KeptChat[] =>
    parseChats(browserStorage.read('playground-chats')).filter((chat) => chat.userId === userId),
  keep(chat: KeptChat): void {
    const before = parseChats(browserStorage.read('playground-chats'));
    browserStorage.write('playground-chats', JSON.stringify(withChat(before, chat)));
  },
  forget(isGone: (chat: KeptChat) => boolean): void {
    const left = parseChats(browserStorage.read('playground-chats')).filter((chat) => !isGone(chat));
    browserStorage.write('playground-chats', JSON.stringify(left));
  },
};

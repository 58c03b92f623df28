import { changeBodyFields, inputItems, isObject, type JsonObject, parseJson } from '@tollgate/protocols';
import { LRUCache } from 'lru-cache';
import type { CreateMessage } from './read-message.ts';

/** A response that nobody stores, with the conversation before it. */
interface EarlierResponse {
  readonly id: string;
  /** What that conversation went on from in its turn, where somebody else stores it. */
  readonly previous: string | undefined;
  /** The items of the conversation as JSON, without the brackets around them. */
  readonly items: Buffer;
}

/** What a connection remembers: of each stream of it the newest response that nobody stores. */
export interface EarlierResponses {
  /** The request with the conversation that it goes on from. */
  continueFrom(message: CreateMessage): ContinuedMessage;
  forget(): void;
}

interface ContinuedMessage {
  readonly body: Buffer;
  readonly json: JsonObject;
  /** Remembers the response to it, where nobody stores that. */
  remember(response: { readonly id: string; readonly output: readonly unknown[] }): void;
}

/** One response may take so much of all that is remembered. */
const MAX_SHARE = 8;

/**
 * What all connections of a process remember. Where there is no more room the response that was named longest ago is
 * forgotten: its client is told so, and sends its conversation in full.
 */
export function createEarlierResponses(maxBytes: number): (connection: string) => EarlierResponses {
  const all = new LRUCache<string, EarlierResponse>({
    maxSize: Math.max(1, maxBytes),
    maxEntrySize: Math.max(1, Math.floor(maxBytes / MAX_SHARE)),
    sizeCalculation: ({ items }) => items.length + 256,
  });
  return (connection) => {
    const places = new Set<string>();

    function find(id: unknown): EarlierResponse | undefined {
      for (const place of places) if (all.peek(place)?.id === id) return all.get(place);
      return undefined;
    }

    return {
      continueFrom({ streamId, body, json, generates }) {
        const { previous_response_id: named, store } = json;
        const found = typeof named === 'string' ? find(named) : undefined;
        const isRemembered = store === false || !generates;
        if (!found && !isRemembered) return { body, json, remember: () => {} };
        const own = inputItems(json);
        const before = found ? (JSON.parse(`[${found.items.toString('utf8')}]`) as unknown[]) : [];
        const input = [...before, ...own];
        const previous = found ? found.previous : typeof named === 'string' ? named : undefined;
        // The whole is kept as bytes: parsed it would take many times as much while the response is under way.
        const items = joinItems(found?.items, renderItems(own));
        const place = `${connection} ${streamId ?? ''}`;
        const changes = { input, previous_response_id: previous };
        return {
          body: found ? changeBodyFields(body, changes) : body,
          json: found ? { ...json, ...changes } : json,
          remember({ id, output }) {
            if (!isRemembered) return;
            places.add(place);
            all.set(place, { id, previous, items: joinItems(items, renderItems(output.filter(isTellable))) });
          },
        };
      },
      forget() {
        for (const place of places) all.delete(place);
      },
    };
  };
}

const renderItems = (items: readonly unknown[]): Buffer => Buffer.from(JSON.stringify(items).slice(1, -1));

const COMMA = Buffer.from(',');

const joinItems = (first: Buffer | undefined, then: Buffer): Buffer => {
  if (!first || first.length === 0) return then;
  return then.length === 0 ? first : Buffer.concat([first, COMMA, then]);
};

/** Reasoning without its state means nothing to a model that nobody stored it for. */
const isTellable = (item: unknown): boolean =>
  isObject(item) && (item['type'] !== 'reasoning' || typeof item['encrypted_content'] === 'string');

const ENDS = new Set(['response.completed', 'response.incomplete']);

/** The response that an event says is over. */
export function readEndedResponse(
  event: string | undefined,
  data = '',
): { readonly id: string; readonly output: readonly unknown[] } | undefined {
  if (
    event === undefined
      ? !/^\{\s*"type"\s*:\s*"response\.(?:completed|incomplete)"/.test(data)
      : !ENDS.has(event)
  )
    return undefined;
  const said = parseJson(data);
  const response = isObject(said) ? said['response'] : undefined;
  if (!isObject(response)) return undefined;
  const { id, output } = response;
  return typeof id === 'string' && Array.isArray(output) ? { id, output } : undefined;
}

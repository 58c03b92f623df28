import { boundTokens } from '@tollgate/metering';
import { isObject, type JsonObject } from '@tollgate/protocols';

/** What a vendor puts before a conversation unseen. */
const UNSEEN_TOKENS = 512;
/**
 * So many bytes of sound for one token, by its format: a token is 100 ms of what a user says, and here 50 ms, as a bound must
 * hold for the next model too. PCM has 48,000 bytes a second, the two of telephony 8,000.
 */
const PCM_BYTES = 2_400;
const TELEPHONY_BYTES = 400;
const MS_PER_TOKEN = 50;

/** How many tokens the next response of a session reads at most. */
export interface ContextBound {
  /** The session as it stands, or as it may be once a change has reached the upstream. */
  setSession(session: JsonObject): void;
  add(event: JsonObject): void;
  /** How long the sound of an event is, in milliseconds. */
  measureSound(event: JsonObject): number;
  /** Where this moment stands in the conversation. */
  mark(): number;
  /** A response that began at a mark has read and written so many tokens, all that was said before it among them. */
  reported(mark: number, tokens: number): void;
  /** @param response what it says in place of the session. */
  read(response: JsonObject): { readonly max: number; readonly likely: number };
}

/**
 * What a conversation counts is known exactly after each response: the vendor reports it. From then on what is added is
 * counted here, each byte of text as a token, sound by its length.
 */
export function createContextBound(): ContextBound {
  let bytesPerToken = PCM_BYTES;
  let session = 0;
  let known = 0;
  let knownAt = 0;
  let added = 0;
  return {
    setSession(of) {
      session = boundOf(of, bytesPerToken);
      const format = findFormat(of);
      if (format !== undefined) bytesPerToken = format === 'audio/pcm' ? PCM_BYTES : TELEPHONY_BYTES;
    },
    add: (event) => void (added += boundOf(event, bytesPerToken)),
    measureSound({ audio }) {
      const bytes = typeof audio === 'string' ? (audio.length * 3) / 4 : 0;
      return (bytes / bytesPerToken) * MS_PER_TOKEN;
    },
    mark: () => added,
    reported(mark, tokens) {
      if (tokens === 0 || mark < knownAt) return;
      known = tokens;
      knownAt = mark;
    },
    read(response) {
      const own = boundOf(response, bytesPerToken);
      const since = added - knownAt;
      return {
        max: session + known + since + own + UNSEEN_TOKENS,
        likely: Math.ceil(session / 4) + known + Math.ceil((since + own) / 4),
      };
    },
  };
}

const findFormat = (session: JsonObject): unknown => {
  const [audio, input, format] = ['audio', 'input', 'format'].reduce<unknown[]>((found, name) => {
    const owner = found.length === 0 ? session : found.at(-1);
    return [...found, isObject(owner) ? owner[name] : undefined];
  }, []);
  return audio && input && isObject(format) ? format['type'] : undefined;
};

function boundOf(value: JsonObject, bytesPerToken: number): number {
  let sound = 0;
  const rest = withoutSound(value, (characters) => {
    sound += Math.ceil((characters * 3) / 4 / bytesPerToken);
  });
  return sound + (isObject(rest) ? boundTokens(rest, null).input : 0);
}

/** Sound stands as base64 in members of this name, of events and of what messages hold. */
function withoutSound(value: unknown, found: (characters: number) => void): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSound(each, found));
  if (!isObject(value)) return value;
  const rest: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    if (name === 'audio' && typeof part === 'string') found(part.length);
    else rest[name] = withoutSound(part, found);
  }
  return rest;
}

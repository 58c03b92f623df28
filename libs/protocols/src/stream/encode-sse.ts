import type { JsonObject } from '../json.ts';

/** An event under its own type's name, as OpenAI's Responses and Anthropic's Messages send theirs. */
export const encodeSse = (event: JsonObject & { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

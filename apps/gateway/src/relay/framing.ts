import type { StreamFraming } from '@tollgate/protocols';
import type { Call } from './relay.ts';

/** How a caller's stream is cut: Gemini's clients get one JSON array unless they ask for events. */
export const framingFor = ({ protocol, query }: Pick<Call, 'protocol' | 'query'>): StreamFraming =>
  protocol === 'gemini' && new URLSearchParams(query).get('alt') !== 'sse' ? 'json-array' : 'sse';

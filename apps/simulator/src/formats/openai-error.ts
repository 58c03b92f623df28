import type { Refusal } from '../rules/rule.ts';

const TYPES: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  404: ['invalid_request_error', null],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
};

/** OpenAI's error envelope. */
export function openaiError(status: number, message: string, refusal?: Refusal): object {
  const [type, code] = TYPES[status] ?? ['server_error', null];
  return { error: { message, type, param: refusal?.param ?? null, code: refusal?.code ?? code } };
}

import type { ClientProtocol } from '@tollgate/vocabulary';
import { at, isList, isMap, isText, must, mustBeUsage } from './client-events.ts';
import { mustBeItem } from './valid-responses.ts';
import { mustBeParts, STOP_REASONS } from './valid-stream.ts';

/** Whether a client of this format can read the whole answer; throws what is wrong. */
export function mustBeAnswer(protocol: ClientProtocol, body: Buffer): void {
  VALID[protocol](JSON.parse(body.toString('utf8')));
}

const VALID: Readonly<Record<ClientProtocol, (body: unknown) => void>> = {
  'openai-chat'(body) {
    const choices = at(body, 'choices');
    must(isList(choices) && choices.length > 0, 'No choice', body);
    for (const choice of choices) {
      must(isText(at(choice, 'finish_reason')), 'No finish reason', body);
      const content = at(choice, 'message', 'content');
      must(content === null || isText(content), 'Content is no text', body);
      for (const call of (at(choice, 'message', 'tool_calls') as unknown[] | undefined) ?? []) {
        const named = at(call, 'function') ?? at(call, 'custom');
        must([at(call, 'id'), at(named, 'name')].every(isText), 'A wrong call', body);
        must(isText(at(named, 'arguments') ?? at(named, 'input')), 'A call without arguments', body);
      }
    }
    if (at(body, 'usage') !== undefined) mustBeUsage(at(body, 'usage'));
  },
  'openai-responses'(body) {
    const output = at(body, 'output');
    must(isList(output), 'No output', body);
    output.forEach(mustBeItem);
    must(['completed', 'incomplete'].includes(String(at(body, 'status'))), 'A wrong status', body);
    if (at(body, 'usage') !== null) mustBeUsage(at(body, 'usage'));
  },
  'anthropic-messages'(body) {
    const content = at(body, 'content');
    must(isList(content), 'No content', body);
    must(STOP_REASONS.includes(String(at(body, 'stop_reason'))), 'Unknown stop reason', body);
    for (const block of content) {
      const fields =
        {
          text: ['text'],
          thinking: ['thinking', 'signature'],
          redacted_thinking: ['data'],
          tool_use: ['id', 'name'],
        }[String(at(block, 'type'))] ?? [];
      must(fields.length > 0 && fields.every((field) => isText(at(block, field))), 'A wrong block', block);
      if (at(block, 'type') === 'tool_use') must(isMap(at(block, 'input')), 'A call without input', block);
    }
    mustBeUsage(at(body, 'usage'));
  },
  gemini(body) {
    const candidates = at(body, 'candidates');
    must(isList(candidates) && candidates.length > 0, 'No candidate', body);
    for (const candidate of candidates) {
      mustBeParts(at(candidate, 'content', 'parts'));
      must(isText(at(candidate, 'finishReason')), 'No finish reason', body);
    }
    if (at(body, 'usageMetadata') !== undefined) mustBeUsage(at(body, 'usageMetadata'));
  },
};

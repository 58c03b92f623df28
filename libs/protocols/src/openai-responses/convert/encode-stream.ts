import type { TokenCounts } from '@tollgate/vocabulary';
import type { EncodeAnswerContext } from '../../convert/conversion.ts';
import { given, type JsonObject } from '../../json.ts';
import type { AnswerPart, FinishReason, OpenedBlock, StreamEncoder } from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import type { RelayError } from '../../relay-error.ts';
import { responsesCode } from '../errors.ts';
import { itemId, responseId } from '../kept/kept-ids.ts';
import { encodeAnnotation, encodeItem, imageItem, createResponse } from './answer.ts';

interface Item {
  readonly opened: OpenedBlock;
  readonly id: string;
  readonly index: number;
  text: string;
  state: ReasoningState | undefined;
  readonly cited: Citation[];
}

const PREFIX = { text: 'msg', refusal: 'msg', thinking: 'rs', image: 'ig', tool_call: 'fc' } as const;

/** Every block is an item of its own, told from its beginning to its end with the numbers that clients check. */
export function responsesStreamEncoder(context: EncodeAnswerContext): StreamEncoder {
  let id = 'resp_unknown';
  let sequence = 0;
  let item: Item | undefined;
  let tokens: TokenCounts | undefined;
  const output: JsonObject[] = [];

  const event = (type: string, fields: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const of = ({ id: item_id, index }: Item, more: JsonObject = {}): JsonObject => ({
    item_id,
    output_index: index,
    ...more,
  });
  const response = (finish: FinishReason | 'in_progress') =>
    createResponse(id, output, finish, tokens, context);

  function open(opened: OpenedBlock): string {
    const index = output.length;
    const prefix = opened.kind === 'tool_call' && opened.custom ? 'ctc' : PREFIX[opened.kind];
    item = { opened, id: itemId(prefix, id, index), index, text: '', state: undefined, cited: [] };
    const added = event('response.output_item.added', { output_index: index, item: openedItem(item) });
    switch (opened.kind) {
      case 'text':
        return (
          added + event('response.content_part.added', of(item, { content_index: 0, part: textPart('', []) }))
        );
      case 'refusal':
        return (
          added +
          event(
            'response.content_part.added',
            of(item, { content_index: 0, part: { type: 'refusal', refusal: '' } }),
          )
        );
      default:
        return added;
    }
  }

  function delta(held: Item, text: string): string {
    const first = held.text === '';
    held.text += text;
    switch (held.opened.kind) {
      case 'text':
        return event('response.output_text.delta', of(held, { content_index: 0, delta: text, logprobs: [] }));
      case 'refusal':
        return event('response.refusal.delta', of(held, { content_index: 0, delta: text }));
      case 'thinking': {
        const part = { type: 'summary_text', text: '' };
        const begun = first
          ? event('response.reasoning_summary_part.added', of(held, { summary_index: 0, part }))
          : '';
        return (
          begun + event('response.reasoning_summary_text.delta', of(held, { summary_index: 0, delta: text }))
        );
      }
      case 'image':
        return '';
      case 'tool_call':
        return held.opened.custom
          ? event('response.custom_tool_call_input.delta', of(held, { delta: text }))
          : event('response.function_call_arguments.delta', of(held, { delta: text }));
    }
  }

  function close(held: Item): string {
    item = undefined;
    const whole = { ...encodeItem(partOf(held), id, held.index, context), id: held.id };
    output.push(whole);
    return ending(held) + event('response.output_item.done', { output_index: held.index, item: whole });
  }

  function ending(held: Item): string {
    const { text } = held;
    switch (held.opened.kind) {
      case 'text':
        return (
          event('response.output_text.done', of(held, { content_index: 0, text, logprobs: [] })) +
          event(
            'response.content_part.done',
            of(held, { content_index: 0, part: textPart(text, held.cited) }),
          )
        );
      case 'refusal':
        return (
          event('response.refusal.done', of(held, { content_index: 0, refusal: text })) +
          event(
            'response.content_part.done',
            of(held, { content_index: 0, part: { type: 'refusal', refusal: text } }),
          )
        );
      case 'thinking':
        if (text === '') return '';
        return (
          event('response.reasoning_summary_text.done', of(held, { summary_index: 0, text })) +
          event(
            'response.reasoning_summary_part.done',
            of(held, { summary_index: 0, part: { type: 'summary_text', text } }),
          )
        );
      case 'image':
        return '';
      case 'tool_call':
        return held.opened.custom
          ? event('response.custom_tool_call_input.done', of(held, { input: text }))
          : event(
              'response.function_call_arguments.done',
              of(held, { name: held.opened.name, arguments: text || '{}' }),
            );
    }
  }

  function fail(error: RelayError): string {
    const code = responsesCode(error.kind);
    const failed = { ...response('in_progress'), status: 'failed', error: { code, message: error.message } };
    return (
      event('error', { code, message: error.message, param: null }) +
      event('response.failed', { response: failed })
    );
  }

  return {
    write(each) {
      switch (each.type) {
        case 'start':
          id = context.keeping?.id ?? responseId(each.id);
          return (
            event('response.created', { response: response('in_progress') }) +
            event('response.in_progress', { response: response('in_progress') })
          );
        case 'open':
          return open(each.opened);
        case 'delta':
          return item ? delta(item, each.text) : '';
        case 'state':
          if (item) item.state = each.state;
          return '';
        case 'citation': {
          if (!item) return '';
          item.cited.push(each.citation);
          const annotation_index = item.cited.length - 1;
          const annotation = encodeAnnotation(each.citation);
          return event(
            'response.output_text.annotation.added',
            of(item, { content_index: 0, annotation_index, annotation }),
          );
        }
        case 'close':
          return item ? close(item) : '';
        case 'usage':
          ({ tokens } = each);
          return '';
        case 'finish': {
          const whole = response(each.reason);
          context.keeping?.answered(output);
          return event(`response.${String(whole['status'])}`, { response: whole });
        }
        case 'error':
          return fail(each.error);
      }
    },
    end: () => 'data: [DONE]\n\n',
  };
}

const textPart = (text: string, cited: readonly Citation[]): JsonObject => ({
  type: 'output_text',
  text,
  annotations: cited.map(encodeAnnotation),
  logprobs: [],
});

function openedItem({ opened, id }: Item): JsonObject {
  switch (opened.kind) {
    case 'text':
    case 'refusal':
      return { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    case 'thinking':
      return { id, type: 'reasoning', summary: [] };
    case 'image':
      return { id, ...imageItem('in_progress', null) };
    case 'tool_call': {
      const named = { call_id: opened.id, name: opened.name, ...given({ namespace: opened.namespace }) };
      return opened.custom
        ? { id, type: 'custom_tool_call', status: 'in_progress', ...named, input: '' }
        : { id, type: 'function_call', status: 'in_progress', ...named, arguments: '' };
    }
  }
}

function partOf({ opened, text, state, cited }: Item): AnswerPart {
  switch (opened.kind) {
    case 'text':
      return { kind: 'text', text, cited };
    case 'refusal':
      return { kind: 'refusal', text };
    case 'thinking':
      return { kind: 'thinking', text, ...given({ state }) };
    case 'image':
      return { ...opened, data: text };
    case 'tool_call':
      return { ...opened, input: text };
  }
}

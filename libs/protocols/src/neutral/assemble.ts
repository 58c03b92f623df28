import type { TokenCounts } from '@tollgate/vocabulary';
import type { AnswerEvent, AnswerPart, Choice, FinishReason, NeutralAnswer, OpenedBlock } from './answer.ts';
import type { Citation, ReasoningState } from './request.ts';
import type { RelayError } from '../relay-error.ts';

interface Building {
  readonly opened: OpenedBlock;
  text: string;
  state: ReasoningState | undefined;
  readonly cited: Citation[];
}

/** Folds a stream into the answer that it told: for a client that did not want a stream. */
export function assemble(events: Iterable<AnswerEvent>): NeutralAnswer | RelayError {
  let id = '';
  let tokens: TokenCounts | undefined;
  let finish: FinishReason | undefined;
  let stopSequence: string | undefined;
  const blocks = new Map<number, Building>();
  for (const event of events) {
    switch (event.type) {
      case 'start':
        id = event.id;
        break;
      case 'open':
        blocks.set(event.block, { opened: event.opened, text: '', state: undefined, cited: [] });
        break;
      case 'delta': {
        const block = blocks.get(event.block);
        if (block) block.text += event.text;
        break;
      }
      case 'state': {
        const block = blocks.get(event.block);
        if (block) block.state = event.state;
        break;
      }
      case 'citation':
        blocks.get(event.block)?.cited.push(event.citation);
        break;
      case 'usage':
        ({ tokens } = event);
        break;
      case 'finish':
        finish = event.reason;
        ({ stopSequence } = event);
        break;
      case 'error':
        return event.error;
      case 'close':
        break;
    }
  }
  const parts = [...blocks.values()].map(partOf);
  const choice: Choice = {
    parts,
    finish: finish ?? 'stop',
    ...(stopSequence === undefined ? {} : { stopSequence }),
  };
  return { id, choices: [choice], tokens };
}

function partOf({ opened, text, state, cited }: Building): AnswerPart {
  switch (opened.kind) {
    case 'text':
      return { kind: 'text', text, ...(cited.length > 0 ? { cited } : {}) };
    case 'refusal':
      return { kind: 'refusal', text };
    case 'thinking':
      return { kind: 'thinking', text, ...(state ? { state } : {}) };
    case 'image':
      return { ...opened, data: text };
    case 'tool_call':
      return { ...opened, input: text };
  }
}

/** The stream that an answer would have been: for a client that wanted one from an upstream that has none. */
export function* replay(answer: NeutralAnswer): Generator<AnswerEvent> {
  yield { type: 'start', id: answer.id };
  const [choice] = answer.choices;
  for (const [block, part] of (choice?.parts ?? []).entries()) yield* eventsOfPart(block, part);
  if (answer.tokens) yield { type: 'usage', tokens: answer.tokens };
  yield {
    type: 'finish',
    reason: choice?.finish ?? 'stop',
    ...(choice?.stopSequence === undefined ? {} : { stopSequence: choice.stopSequence }),
  };
}

/** A part that came whole, as the block of a stream. */
export function* eventsOfPart(block: number, part: AnswerPart): Generator<AnswerEvent> {
  yield { type: 'open', block, opened: openedOf(part) };
  const text = part.kind === 'tool_call' ? part.input : part.kind === 'image' ? part.data : part.text;
  if (text !== '') yield { type: 'delta', block, text };
  if (part.kind === 'thinking' && part.state) yield { type: 'state', block, state: part.state };
  if (part.kind === 'text')
    for (const citation of part.cited ?? []) yield { type: 'citation', block, citation };
  yield { type: 'close', block };
}

function openedOf(part: AnswerPart): OpenedBlock {
  switch (part.kind) {
    case 'tool_call': {
      const { input: _input, ...opened } = part;
      return opened;
    }
    case 'image':
      return { kind: 'image', mediaType: part.mediaType };
    default:
      return { kind: part.kind };
  }
}

import { isObject, parseJson } from '../../json.ts';
import type { WrittenCall } from '../message.ts';

/** A call of a stream while it is being told. */
interface StreamCall {
  /** Among the calls of the answer. */
  readonly ordinal: number;
  /** The number of its block; -1 while it has no name. */
  block: number;
  id: string;
  /** What came of its arguments. */
  input: string;
  /** How much of that was passed on. */
  passed: number;
  /** Whether they hold the text of a free-form tool, which the model was told of as a function. */
  wrapped: boolean;
}

/**
 * Tells which call a delta belongs to. OpenAI numbers them; others give every call the number 0, or none. What begins a
 * call there is its name: with another id than the call before, or after the arguments of that are whole.
 */
export function createStreamCalls() {
  const calls: StreamCall[] = [];
  const byIndex = new Map<number, StreamCall>();
  let last: StreamCall | undefined;

  function begin(): StreamCall {
    const call: StreamCall = {
      ordinal: calls.length,
      block: -1,
      id: '',
      input: '',
      passed: 0,
      wrapped: false,
    };
    calls.push(call);
    return call;
  }

  function find({ index, id, name }: WrittenCall): StreamCall | undefined {
    const known =
      index !== undefined
        ? byIndex.get(index)
        : ((id === '' ? undefined : calls.find((call) => call.id === id)) ??
          (id === '' || name === '' ? last : undefined));
    return known && name !== '' && isAnother(known, id) ? undefined : known;
  }

  return {
    calls: calls as readonly StreamCall[],
    of(delta: WrittenCall): StreamCall {
      const call = find(delta) ?? begin();
      if (delta.index !== undefined) byIndex.set(delta.index, call);
      last = call;
      return call;
    },
  };
}

/** Whether a delta with a name and this id begins another call: some servers repeat the name in each of their deltas. */
function isAnother(known: StreamCall, id: string): boolean {
  if (known.block < 0) return false;
  return id === '' || known.id === '' ? isWhole(known.input) : id !== known.id;
}

const isWhole = (input: string): boolean => input.trimEnd().endsWith('}') && isObject(parseJson(input));

import type { TaskFormat } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';
import { relayError, type RelayError } from '../relay-error.ts';
import type { ConvertedTask, TaskAnswer, TaskConversion } from './task-codec.ts';

/** A request of a task said in the words of an upstream. */
export type WrittenTask =
  | { readonly ok: true; readonly body: JsonObject; readonly dropped: readonly string[] }
  | { readonly ok: false; readonly param: string; readonly message: string };

/** How a format says the requests and answers of a task; what only upstreams speak reads no requests. */
export interface TaskHalf<Request, Answer> {
  readonly read?: (body: JsonObject) => Request;
  readonly writeAnswer?: (
    answer: Answer,
    of: { readonly request: Request; readonly model: string; readonly tokens: number },
  ) => JsonObject;
  readonly write: (request: Request, model: string) => WrittenTask;
  /** Undefined where it answers another request. */
  readonly readAnswer: (answer: unknown, request: Request) => Answer | undefined;
  /** Inputs of one call at most, by the vendor's own rule. */
  readonly maxInputs: number;
  /** The bytes of a request with the upstream's name of its model. */
  readonly rename: (request: TaskConversion) => Buffer;
  /** Whether an answer is what the client of the same format asked for, though it is one that can be read. */
  readonly isAsAsked?: (answer: JsonObject, request: Request) => boolean;
}

/** How a task is said in all of its formats. */
interface TaskHalves<Request, Answer> {
  readonly formats: Readonly<Partial<Record<TaskFormat, TaskHalf<Request, Answer>>>>;
  /** Requests of at most so many inputs that together ask the same. */
  readonly split: (request: Request, maxInputs: number) => readonly Request[];
  readonly join: (answers: readonly Answer[], requests: readonly Request[], whole: Request) => Answer;
}

/**
 * Converts requests and answers between the formats of a task. What needs neither another format nor several calls keeps its
 * bytes.
 */
export function createTaskConversion<Request, Answer>({
  formats,
  split,
  join,
}: TaskHalves<Request, Answer>): (request: TaskConversion) => ConvertedTask {
  return (conversion) => {
    const { from, to, body, model, namedModel, upstreamModel, strict } = conversion;
    const [client, upstream] = [formats[from], formats[to]];
    if (!client?.read || !client.writeAnswer || !upstream) throw new Error(`no conversion ${from} to ${to}`);
    const { writeAnswer } = client;
    const whole = client.read(body);
    const requests = split(whole, Math.min(conversion.maxInputs ?? Infinity, upstream.maxInputs));
    const isSame = from === to && requests.length === 1;
    const written = isSame ? [] : requests.map((request) => upstream.write(request, upstreamModel));
    const fault = written.find((each) => !each.ok);
    if (fault?.ok === false) return { ok: false, error: cannotCarry(fault.param, fault.message) };
    const said = written.flatMap((each) => (each.ok ? [each] : []));
    const dropped = [...new Set(said.flatMap((each) => each.dropped))];
    const [first] = dropped;
    if (strict && first !== undefined)
      return { ok: false, error: cannotCarry(first, 'the upstream of this model cannot be told it') };

    function toAnswer(answers: readonly unknown[], tokens: number): TaskAnswer {
      const read: Answer[] = [];
      for (const [index, answer] of answers.entries()) {
        const request = requests[index];
        const each = request && upstream?.readAnswer(answer, request);
        if (each === undefined) return 'unreadable';
        read.push(each);
      }
      const [only] = answers;
      if (isSame && isObject(only) && (upstream?.isAsAsked?.(only, whole) ?? true)) return 'as it is';
      return { body: writeAnswer(join(read, requests, whole), { request: whole, model, tokens }) };
    }
    return {
      ok: true,
      bodies: isSame
        ? [namedModel === upstreamModel ? conversion.bytes : upstream.rename(conversion)]
        : said.map((each) => Buffer.from(JSON.stringify(each.body))),
      dropped,
      toAnswer,
    };
  };
}

const cannotCarry = (param: string, message: string): RelayError =>
  relayError('unsupported', `${param}: ${message}. Leave it out, or choose another model.`, { param });

import type { Protocol, Task, TaskFormat } from '@tollgate/vocabulary';
import { CODECS } from '../registry.ts';
import { complete } from './complete/codec.ts';
import { draw } from './draw/codec.ts';
import { edit } from './edit/codec.ts';
import { speak } from './audio/speak.ts';
import { transcribe, translate } from './audio/transcribe.ts';
import { embed } from './embed/codec.ts';
import { moderate } from './moderate/codec.ts';
import { rerank } from './rerank/codec.ts';
import type { TaskForm } from '../protocol.ts';
import type { AnswerRules, TaskCodec } from './task-codec.ts';

/** Every task that is served; a new one is a folder beside these and a line here. */
export const TASK_CODECS: Readonly<Record<Task, TaskCodec>> = {
  embed,
  rerank,
  moderate,
  complete,
  draw,
  edit,
  transcribe,
  translate,
  speak,
};

/** How answers of an upstream are read: those of conversations by its format, those of a task by that of the task. */
export const findAnswerRules = (protocol: Protocol, task: TaskForm | undefined): AnswerRules =>
  task ? findTaskUpstream(task).rules : CODECS[protocol];

/** How upstreams are asked for a task in one of its formats. */
export function findTaskUpstream({ task, format }: TaskForm) {
  const upstream = TASK_CODECS[task].upstreams[format];
  if (!upstream) throw new Error(`nobody is asked to ${task} in the format ${format}`);
  return upstream;
}

/**
 * The format in which an upstream that speaks some formats of conversations is asked for a task: the caller's own where it
 * takes that. With it goes the format of conversations whose keys and paths hold. Undefined where it does not take the task.
 */
export function findTaskFormat(
  { task, format }: TaskForm,
  protocols: readonly Protocol[],
  stated: TaskFormat | undefined,
  upstreamModel: string,
): { readonly protocol: Protocol; readonly format: TaskFormat } | undefined {
  const [first] = protocols;
  const { spokenBy, formatOf } = TASK_CODECS[task];
  if (stated !== undefined) {
    const protocol = protocols.find((each) => spokenBy[each]?.includes(stated)) ?? first;
    return protocol && { protocol, format: stated };
  }
  const spoken = protocols.flatMap((protocol) =>
    (spokenBy[protocol] ?? []).map((each) => ({ protocol, format: each })),
  );
  const named = formatOf?.(upstreamModel);
  const fitting = [named, format].flatMap((of) => spoken.filter((each) => each.format === of));
  return fitting[0] ?? spoken[0];
}

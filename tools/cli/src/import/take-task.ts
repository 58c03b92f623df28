import { OPERATION_NAMES, type OtherOperation, type Protocol } from '@tollgate/vocabulary';

type Paths = Readonly<Partial<Record<'generate' | OtherOperation, string | undefined>>>;

interface Reached {
  readonly protocols: readonly Protocol[];
  readonly paths?: Readonly<Partial<Record<Protocol, Paths>>> | undefined;
}

/** Who takes a task or a session: those who speak one of the formats, at a path beside that of Chat Completions. */
const TAKERS: Readonly<
  Record<OtherOperation, { readonly spoken: readonly Protocol[]; readonly path: string }>
> = {
  embed: { spoken: ['openai-chat', 'openai-responses', 'gemini'], path: '/embeddings' },
  rerank: { spoken: ['openai-chat', 'openai-responses'], path: '/rerank' },
  moderate: { spoken: ['openai-chat', 'openai-responses'], path: '/moderations' },
  complete: { spoken: ['openai-chat', 'openai-responses'], path: '/completions' },
  draw: { spoken: ['openai-chat', 'openai-responses', 'gemini'], path: '/images/generations' },
  edit: { spoken: ['openai-chat', 'openai-responses'], path: '/images/edits' },
  transcribe: { spoken: ['openai-chat', 'openai-responses'], path: '/audio/transcriptions' },
  translate: { spoken: ['openai-chat', 'openai-responses'], path: '/audio/translations' },
  speak: { spoken: ['openai-chat', 'openai-responses'], path: '/audio/speech' },
  realtime: { spoken: ['openai-chat', 'openai-responses'], path: '/realtime' },
};

/** An upstream with the path at which it is asked for something, where it states its paths; a text says why it cannot be. */
export function takeTask<U extends Reached>(upstream: U, task: OtherOperation): U | string {
  const { spoken, path } = TAKERS[task];
  const cannot = `it cannot be asked for ${OPERATION_NAMES[task].toLowerCase()} here`;
  const protocol = upstream.protocols.find((each) => spoken.includes(each));
  if (!protocol) return cannot;
  const stated = upstream.paths?.[protocol];
  if (!stated || stated[task] !== undefined) return upstream;
  const own = stated.generate?.replace('/chat/completions', path);
  if (own === undefined || own === stated.generate) return cannot;
  return { ...upstream, paths: { ...upstream.paths, [protocol]: { ...stated, [task]: own } } };
}

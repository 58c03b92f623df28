import { createInterface } from 'node:readline/promises';

/** What a command reads and writes: the process, or what a test puts in its place. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Writes a line of result. */
export const say = (io: Io, text: string): void => void io.stdout.write(`${text}\n`);

/** Writes a line about what is going on, which no program reads. */
export const remark = (io: Io, text: string): void => void io.stderr.write(`${text}\n`);

/** Asks for a line; undefined without a terminal. */
export async function askFor({ stdin }: Pick<Io, 'stdin'>, question: string): Promise<string | undefined> {
  if (stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** Asks for a yes; without a terminal nobody can give it. */
export async function isAgreedTo(io: Io, question: string): Promise<boolean> {
  if (io.stdin.isTTY !== true) return false;
  const lines = createInterface({ input: io.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

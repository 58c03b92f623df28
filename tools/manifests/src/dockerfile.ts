/** One instruction of a Dockerfile, its lines joined. */
interface Instruction {
  /** In upper case. */
  readonly keyword: string;
  readonly flags: Readonly<Record<string, string>>;
  /** What follows the flags. */
  readonly text: string;
}

interface Stage {
  readonly name: string;
  /** An image, or the name of another stage; with the values of `ARG`s in it. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  /** The `ARG`s in front of the first stage, with their defaults. */
  readonly args: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

/** Reads what a Dockerfile says; `dockerfile-utils` is there to find what it says wrongly. */
export function parseDockerfile(text: string): Dockerfile {
  const joined = text.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, ' ');
  const args: Record<string, string> = {};
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of joined.split('\n')) {
    if (line.trim() === '') continue;
    const instruction = parseInstruction(line.trim());
    const stage = stages.at(-1);
    if (instruction.keyword === 'FROM') {
      const [base = '', , name = ''] = instruction.text.split(/\s+/);
      stages.push({ name, base: withValues(base, args), instructions: [] });
    } else if (stage) stage.instructions.push(instruction);
    else Object.assign(args, parsePairs(instruction.text));
  }
  return { args, stages };
}

function parseInstruction(line: string): Instruction {
  const [keyword = '', ...words] = line.split(/\s+/);
  const flags: Record<string, string> = {};
  while (words[0]?.startsWith('--')) {
    const [, name = '', value = ''] = /^--([^=]+)=?(.*)$/.exec(words.shift() ?? '') ?? [];
    flags[name] = value;
  }
  return { keyword: keyword.toUpperCase(), flags, text: words.join(' ') };
}

/** `${NAME}` and `${NAME:+text}`, as the builder does it. */
function withValues(text: string, args: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::\+((?:[^{}]|\$\{\w+\})*))?\}/g, (_all, name: string, more?: string) => {
    const value = args[name] ?? '';
    return more === undefined ? value : value && withValues(more, args);
  });
}

/** `NAME=value NAME="value"` of `ARG`, `ENV` and `LABEL`. */
export function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/([\w.-]+)(?:=(?:"([^"]*)"|(\S*)))?/g);
  return Object.fromEntries([...pairs].map(([, name = '', quoted, bare = '']) => [name, quoted ?? bare]));
}

/** The instructions of a stage after those of the stages that it is built on. */
export function listInstructions({ stages }: Dockerfile, name: string): readonly Instruction[] {
  const stage = stages.find((one) => one.name === name);
  if (!stage) return [];
  return [...listInstructions({ args: {}, stages }, stage.base), ...stage.instructions];
}

/** The words of an instruction in exec form; undefined when it is in shell form. */
export function execForm(text: string): readonly string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
  } catch {
    return undefined;
  }
}

/** What `docker run` of a target starts, as whom, and with which variables. */
export interface ImageConfig {
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly ports: readonly number[];
}

export function toImageConfig(dockerfile: Dockerfile, target: string): ImageConfig {
  const chain = listInstructions(dockerfile, target);
  const last = (keyword: string) => chain.findLast((one) => one.keyword === keyword)?.text ?? '';
  const all = (keyword: string) =>
    Object.assign(
      {},
      ...chain.filter((one) => one.keyword === keyword).map(({ text }) => parsePairs(text)),
    ) as Record<string, string>;
  return {
    user: last('USER'),
    env: all('ENV'),
    labels: all('LABEL'),
    entrypoint: execForm(last('ENTRYPOINT')) ?? [],
    command: execForm(last('CMD')) ?? [],
    ports: chain
      .filter(({ keyword }) => keyword === 'EXPOSE')
      .flatMap(({ text }) => text.split(' ').map(Number)),
  };
}

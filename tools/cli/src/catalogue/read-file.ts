import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { Failure } from '../failure.ts';

type Path = readonly PropertyKey[];

/** A file read as YAML of a shape. @throws Failure with every fault and the line that it stands in. */
export function readYaml<T>(name: string, schema: z.ZodType<T>): T {
  return parseYaml(textOf(name), name, schema);
}

/** A text read as YAML of a shape; `name` is what faults call it. @throws Failure as {@link readYaml} does. */
export function parseYaml<T>(text: string, name: string, schema: z.ZodType<T>): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const unreadable = document.errors.map(
    ({ pos: [at], message }) => `${placeOf(lines, at, name)}: ${message}`,
  );
  if (unreadable.length > 0) throw new Failure(unreadable.join('\n'), 'Fix the file and try again.');
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap(issuesAt).map(({ path, message }) => ({
    at: offsetOf(document, path),
    text: `${path.map(String).join('.')}: ${message}`,
  }));
  faults.sort((a, b) => a.at - b.at);
  throw new Failure(
    faults.map(({ at, text: fault }) => `${placeOf(lines, at, name)}: ${fault}`).join('\n'),
    'Fix the file and try again.',
  );
}

function textOf(name: string): string {
  try {
    return readFileSync(name === '-' ? 0 : name, 'utf8');
  } catch (error) {
    throw new Failure(`${name} cannot be read: ${(error as Error).message}`);
  }
}

/** An unknown field stands at the field, not at what holds it. */
const issuesAt = (issue: z.core.$ZodIssue): { path: Path; message: string }[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'there is no such field' }))
    : [{ path: issue.path, message: issue.message }];

const placeOf = (lines: LineCounter, at: number, name: string): string => {
  const { line, col } = lines.linePos(at);
  return `${name}:${line}:${col}`;
};

/** Where a value begins, or the nearest thing around it that is there. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const steps = path.slice(0, length);
    const last = steps.at(-1);
    const holder = length === 0 ? undefined : document.getIn(steps.slice(0, -1), true);
    const key = isMap(holder)
      ? holder.items.find((item) => isScalar(item.key) && item.key.value === last)?.key
      : undefined;
    const node = key ?? document.getIn(steps, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

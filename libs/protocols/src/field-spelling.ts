import type { ClientProtocol } from '@tollgate/vocabulary';
import type { JsonObject } from './json.ts';
import type { TaskForm } from './protocol.ts';
import { CODECS } from './registry.ts';
import { findTaskClient } from './tasks/decode-task.ts';

/** As nearly all names are that formats with an underscore have. */
const PLAIN = /^[a-z0-9_]*$/;

/** As servers in Go compare names: `ſ` and the sign of Kelvin are letters to them, too. */
const fold = (name: string): string => name.toUpperCase().toLowerCase();

/** The spellings of a format's fields, by what they are folded to. */
const spellings = new Map<string, ReadonlyMap<string, string>>();

function findSpellings(protocol: ClientProtocol, task: TaskForm | undefined): ReadonlyMap<string, string> {
  const key = task ? `${task.task} ${task.format}` : protocol;
  const known = spellings.get(key);
  if (known) return known;
  const names = task ? listTaskFields(task) : listFields(protocol);
  const made = new Map(['model', 'stream', 'n', ...names].map((name) => [fold(name), name]));
  spellings.set(key, made);
  return made;
}

const listFields = (protocol: ClientProtocol): string[] => [
  ...Object.keys(CODECS[protocol].conversion.fields).filter((path) => !path.includes('.')),
  ...CODECS[protocol].outputFields.flatMap(({ path }) => path.slice(0, 1)),
];

function listTaskFields(task: TaskForm): string[] {
  const { schema } = findTaskClient(task);
  return 'shape' in schema ? Object.keys(schema.shape as object) : [];
}

/**
 * A field whose name differs from one of the format, or from another one that is sent, in the case of its letters alone, and
 * what is to be done; undefined where none does. Servers in Go take one for the other: they would serve `Model`, and `model`
 * would be billed.
 */
export function findOtherCase(
  protocol: ClientProtocol,
  task: TaskForm | undefined,
  body: JsonObject,
): { readonly name: string; readonly message: string } | undefined {
  let seen: Set<string> | undefined;
  for (const name in body) {
    if (PLAIN.test(name)) continue;
    const folded = fold(name);
    const spelt = findSpellings(protocol, task).get(folded);
    if (spelt !== undefined && spelt !== name) return { name, message: `is written ${spelt}` };
    const isBeside = spelt === undefined && folded !== name && Object.hasOwn(body, folded);
    if (isBeside || seen?.has(folded))
      return { name, message: 'stands there in letters of another case, too; state one' };
    (seen ??= new Set()).add(folded);
  }
  return undefined;
}

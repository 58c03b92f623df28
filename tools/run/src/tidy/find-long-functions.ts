import type { Source } from './read-sources.ts';

const CONTROL =
  /^\s*(?:\} )?(?:else )?(?:if|for|while|switch|catch|do|try|return|new|class|interface|type)\b/;
const ARROW = /=> [{([]+$/;
const FUNCTION = /\bfunction\b.*\{$/;
const METHOD =
  /^\s+(?:(?:public|private|protected|static|async|override|get|set) )*\*?[\w#]+(?:<.*>)?\(.*\)(?:: .+)? \{$/;
/** The end of a list of parameters that takes several lines: its beginning is further up, at the same depth. */
const PARAMETERS_END = /^\s*(?:\)|\}(?:: .*)?\))(?:: .+)?(?: =>)? [{([]+$/;

const depthOf = (line: string): number => line.length - line.trimStart().length;

/** What a function is called: the first name that is declared, assigned, or takes parameters. */
const nameIn = (line: string): string =>
  /\bfunction\*? (\w+)/.exec(line)?.[1] ??
  /\b(?:const|let) (\w+)/.exec(line)?.[1] ??
  /^\s*(?:(?:public|private|protected|static|async|override|get|set|export|default|return|await) )*([\w#.]+)\s*[(<:=]/.exec(
    line,
  )?.[1] ??
  'unnamed';

/**
 * Functions of more lines than `max`, with their number of lines by `path name`. Oxfmt sets the end of a function at the
 * depth of its beginning, so that nothing needs to be parsed: the check reads all sources in less than a second.
 */
export function findLongFunctions({ path, text }: Source, max: number): Map<string, number> {
  const lines = text.split('\n');
  const found = new Map<string, number>();
  lines.forEach((line, index) => {
    const isEnd = PARAMETERS_END.test(line);
    if (!isEnd && !ARROW.test(line) && !FUNCTION.test(line) && !METHOD.test(line)) return;
    const depth = depthOf(line);
    let first = index;
    if (isEnd)
      do first -= 1;
      while (first > 0 && (depthOf(lines[first] ?? '') > depth || lines[first] === ''));
    if (!ARROW.test(line) && CONTROL.test(lines[first] ?? '')) return;
    const length = lines.slice(index + 1).findIndex((each) => each !== '' && depthOf(each) <= depth);
    const last = length < 0 ? lines.length : index + 1 + length;
    const name = `${path} ${nameIn(lines[first] ?? '')}`;
    if (last - first + 1 > max) found.set(name, Math.max(found.get(name) ?? 0, last - first + 1));
  });
  return found;
}

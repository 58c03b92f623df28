import type { RunningStack } from '@tollgate/harness';

/** One line of an answer in Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Every sample that a service shows at its `/metrics`. @throws for any answer that is no success. */
export async function scrape(url: string): Promise<Sample[]> {
  const answer = await fetch(`${url}/metrics`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}/metrics answered ${answer.status}`);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
      return { name, labels: parseLabels(labels), value: Number(value) };
    });
}

const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, name, value]) => [name, value]),
  );

/** The sum of all series of a metric with these labels. */
export const sumSamples = (
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number =>
  samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);

/** Where a service of a stack shows its metrics. */
export function requireUrl(stack: RunningStack, service: string): string {
  const found = stack.services.get(service);
  if (!found) throw new Error(`there is no service ${service}`);
  return found.url;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ROOT } from './manifest.ts';

/** The text of a rules file for a Prometheus without an operator: what the PrometheusRule of Kubernetes says. */
export function alertRules(): string {
  const { spec } = parse(readFileSync(join(ROOT, 'k8s/components/monitoring/alerts.yaml'), 'utf8')) as {
    readonly spec: unknown;
  };
  const rules = stringify(spec, { lineWidth: 0 }).replaceAll(
    /runbook_url: (?=runbooks\/)/g,
    'runbook_url: docs/',
  );
  return `# Written by \`npm run docs\` from k8s/components/monitoring/alerts.yaml; the pages are in docs/runbooks.\n${rules}`;
}

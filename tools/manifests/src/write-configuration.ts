// A part of `npm run docs`: writes the page of every variable, and the alerts for a Prometheus without an operator.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertRules } from './alert-rules.ts';
import { configurationDocument } from './configuration-document.ts';
import { ROOT } from './manifest.ts';

writeFileSync(join(ROOT, 'docs/configuration.md'), configurationDocument());
writeFileSync(join(ROOT, 'docker/alerts.yaml'), alertRules());

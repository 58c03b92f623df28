import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCompose } from './compose.ts';
import { dashboardFaults, readDashboards } from './dashboards.ts';
import { ROOT } from './manifest.ts';

test('every dashboard is what the schema of the Grafana that Compose runs allows, and nothing else', () => {
  const dashboards = readDashboards();
  expect(dashboards.length).toBeGreaterThanOrEqual(4);
  expect(dashboardFaults(dashboards)).toEqual([]);
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules/@grafana/schema/package.json'), 'utf8'),
  ) as { version: string };
  expect(readCompose().services['grafana']?.image).toBe(`docker.io/grafana/grafana:${version}`);
});

test('what Grafana would pass over is a fault', () => {
  const texts = readDashboards().map(({ name, value }) => ({ name, text: JSON.stringify(value) }));
  const withFault = (from: string, to: string) => {
    const found = texts.find(({ text }) => text.includes(from));
    if (!found) throw new Error(`no dashboard has ${from}`);
    return { name: to, value: JSON.parse(found.text.replace(from, to)) as unknown };
  };
  const faulty = [
    withFault('"colorMode":"value"', '"colorMode":"vlaue"'),
    withFault('"colorMode"', '"colourMode"'),
    withFault('"type":"stat"', '"type":"statt"'),
    withFault('"unit"', '"unitt"'),
    withFault('"w":12', '"w":"12"'),
    withFault('"expr"', '"expression"'),
    withFault('"panels"', '"panes"'),
    withFault('"schemaVersion":41', '"schemaVersion":"41"'),
    withFault('"type":"datasource"', '"type":"datasauce"'),
  ];
  const faults = dashboardFaults(faulty);
  expect(faulty.filter(({ name }) => !faults.some((fault) => fault.startsWith(`${name}: `)))).toEqual([]);
});

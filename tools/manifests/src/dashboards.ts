import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './manifest.ts';
import { typeFaults } from './strictness.ts';

interface NamedDashboard {
  readonly name: string;
  readonly value: unknown;
}

/**
 * A dashboard by Grafana's own schema, with the options of the kinds of panels that ours have. What the schema leaves open is
 * closed: the words of its enumerations as JSON has them, options that Grafana fills in, and queries of Prometheus.
 */
const TYPES = `
import type { Dashboard, FieldConfig, FieldConfigSource, GraphFieldConfig, Panel } from '@grafana/schema';
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen.js';
import type { Options as TimeSeries } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.js';

type Json<T> = T extends string ? \`\${T}\` : T extends readonly (infer U)[] ? Json<U>[]
  : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
type Some<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Some<T[K]> } : T;
interface Query {
  refId: string;
  datasource: { type: 'prometheus'; uid: string };
  expr: string;
  legendFormat?: string;
  instant?: boolean;
  range?: boolean;
  interval?: string;
  format?: 'time_series' | 'table' | 'heatmap';
}
type PanelOf<Type extends string, Options, Custom> = Omit<Panel, 'options' | 'fieldConfig' | 'targets'> & {
  type: Type;
  options?: Some<Options>;
  fieldConfig: Omit<FieldConfigSource, 'defaults'> & {
    defaults: Omit<FieldConfig, 'custom'> & { custom?: Some<Custom> };
  };
  targets: Query[];
};
declare global {
  type StrictDashboard = Json<Omit<Dashboard, 'panels'> & {
    panels: (PanelOf<'stat', Stat, never> | PanelOf<'timeseries', TimeSeries, GraphFieldConfig>)[];
  }>;
}
`;

export const readDashboards = (): readonly NamedDashboard[] =>
  globSync('k8s/components/monitoring/dashboards/*.json', { cwd: ROOT }).map((path) => ({
    name: basename(path, '.json'),
    value: JSON.parse(readFileSync(join(ROOT, path), 'utf8')),
  }));

/** What Grafana would not understand, or would pass over without a word. */
export const dashboardFaults = (dashboards: readonly NamedDashboard[]): readonly string[] =>
  typeFaults(
    dashboards.map((one) => ({ ...one, type: 'StrictDashboard' })),
    TYPES,
  );

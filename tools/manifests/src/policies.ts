import { POD_POLICIES } from './pod-policies.ts';
import type { Policy } from './policy.ts';
import { SETTINGS_POLICIES } from './settings-policies.ts';
import { TELEMETRY_POLICIES } from './telemetry-policies.ts';
import { WIRING_POLICIES } from './wiring-policies.ts';

/** Every rule. */
export const POLICIES: readonly Policy[] = [
  ...POD_POLICIES,
  ...SETTINGS_POLICIES,
  ...TELEMETRY_POLICIES,
  ...WIRING_POLICIES,
];

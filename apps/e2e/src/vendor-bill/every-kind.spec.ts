/*
 * The table of what is billed has no silent gap: whatever may be counted, and each tier, is shown by a row of every format and
 * operation, or there is a reason why none can show it. That the rows do show it is what the other files here test.
 */
import { METER_KINDS, SERVICE_TIERS } from '@tollgate/vocabulary';
import { findDoor } from '../pools.ts';
import { REALTIME_SHOWS } from '../realtime/realtime-tests.ts';
import { CLOUD_FEATURES } from './cloud-features.ts';
import { FEATURES, type Shown } from './features.ts';
import { CHOSEN_PLACES, chosenAt } from './priced-models.ts';
import { TASK_FEATURES } from './task-features.ts';
import { BILLED_PLACES, type BilledPlace, UNTOLD } from './untold.ts';

const SHOWN: readonly (readonly [BilledPlace, readonly Shown[]])[] = [
  ...toRows(FEATURES).flatMap(([format, features]) => features.map(({ shows }) => [format, shows] as const)),
  ...toRows(CLOUD_FEATURES).flatMap(([door, features]) =>
    features.map(({ shows }) => [findDoor(door).format, shows] as const),
  ),
  ...CHOSEN_PLACES.map((place) => ['bedrock-converse', [chosenAt(place).tier]] as const),
  ...Object.values(TASK_FEATURES).map(({ task, shows }) => [task, shows] as const),
  ['realtime', REALTIME_SHOWS],
];

function toRows<Place extends string, Rows>(table: Readonly<Record<Place, Rows>>): [Place, Rows][] {
  return Object.entries(table) as [Place, Rows][];
}

test.each(BILLED_PLACES)(
  '%s: each kind and each tier is in the table, or has a reason why it is not',
  (place) => {
    const shown = SHOWN.filter(([at]) => at === place).flatMap(([, shows]) => shows);
    const untold = UNTOLD.filter(({ at }) => at.includes(place)).flatMap((reason) => reason.shown);
    const all = [...METER_KINDS, ...SERVICE_TIERS];
    expect(all.filter((each) => !shown.includes(each) && !untold.includes(each))).toEqual([]);
    // A reason for what a row shows is wrong, and so is a second reason.
    expect(untold.filter((each, index) => shown.includes(each) || untold.indexOf(each) !== index)).toEqual(
      [],
    );
  },
);

test.each(UNTOLD)('$shown at $at: a sentence says why', ({ why }) => {
  expect(why).toMatch(/^[A-Z].{20,}\.$/);
});

// Loaded into a service before it starts (`--import`): its clock goes wrong by as many milliseconds as the file of
// SHIFT_CLOCK_FILE says, from one moment to the next. Timers go on as they are, as they do when a clock is set.
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 100;
const { now } = Date;
let shiftMs = 0;

function look() {
  try {
    shiftMs = Number(readFileSync(process.env.SHIFT_CLOCK_FILE, 'utf8'));
  } catch {
    shiftMs = 0;
  }
}
look();
setInterval(look, LOOK_EVERY_MS).unref();

globalThis.Date = class ShiftedDate extends Date {
  constructor(...given) {
    if (given.length === 0) super(now() + shiftMs);
    else super(...given);
  }
  static now() {
    return now() + shiftMs;
  }
};

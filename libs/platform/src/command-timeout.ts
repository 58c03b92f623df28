import { Command } from 'ioredis';

interface TimedCommand extends Pick<Command, 'isSettled' | 'reject'> {
  /** ioredis clears it when the command ends. */
  _commandTimeoutTimer?: NodeJS.Timeout;
}

/**
 * A process that stood still for longer than a time-out (no CPU, a long collection) finds its timers due before it has read
 * what came meanwhile: an answer that was there in time would count as missed. One turn of the event loop reads it first.
 */
Object.assign(Command.prototype, {
  setTimeout(this: TimedCommand, ms: number): void {
    this._commandTimeoutTimer ??= setTimeout(() => {
      setImmediate(() => {
        if (!this.isSettled) this.reject(new Error('Command timed out'));
      });
    }, ms);
  },
});

import type { Command } from 'commander';
import type { Io } from '../io.ts';

export function addDoctorCommand(_program: Command, _io: Io, _end: (exit: number) => void): void {}

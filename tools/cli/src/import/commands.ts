import type { Command } from 'commander';
import type { Io } from '../io.ts';

export function addImportCommands(_program: Command, _io: Io): void {}

import { Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import type { Command } from 'commander';
import { StartError } from '../config/start.error.js';
import { CommandClasses } from './command-classes.js';
import { InjectCommander } from './commands.js';

/** Refuses to start when two commands answer to one name, of which only the later one could ever run (EXT-38). */
@Injectable()
export class CommandNames implements OnApplicationBootstrap {
  constructor(
    @InjectCommander() private readonly program: Command,
    private readonly classes: CommandClasses,
  ) {}

  onApplicationBootstrap(): void {
    this.check(this.program, this.classes.all());
  }

  private check(parent: Command, classes: ReadonlyMap<Command, Type>): void {
    const owners = new Map<string, string>();
    for (const command of parent.commands) {
      const owner = classes.get(command)?.name ?? 'another command';
      for (const name of [command.name(), ...command.aliases()]) {
        const other = owners.get(name);
        // A class that two modules provide is still one command.
        if (other !== undefined && other !== owner) {
          throw new StartError(`The command "${name}" is both ${other} and ${owner}. Give one of them another name.`);
        }
        owners.set(name, owner);
      }
      this.check(command, classes);
    }
  }
}

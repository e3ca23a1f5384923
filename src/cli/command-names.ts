import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Command } from 'commander';
import { StartError } from '../config/start.error.js';
import { InjectCommander } from './commands.js';

/** Refuses to start when two commands answer to one name, of which only the later one could ever run (EXT-38). */
@Injectable()
export class CommandNames implements OnApplicationBootstrap {
  constructor(
    @InjectCommander() private readonly program: Command,
    private readonly discovery: DiscoveryService,
  ) {}

  onApplicationBootstrap(): void {
    this.check(this.program, this.classes());
  }

  private check(parent: Command, classes: ReadonlyMap<Command, string>): void {
    const owners = new Map<string, string>();
    for (const command of parent.commands) {
      const owner = classes.get(command) ?? 'another command';
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

  /** nest-commander gives each runner the command that was made of it. */
  private classes(): Map<Command, string> {
    const runners = this.discovery.getProviders().map(({ instance }) => instance as { command?: Command } | null);
    return new Map(
      runners.flatMap((runner) =>
        typeof runner === 'object' && runner?.command ? [[runner.command, runner.constructor.name] as const] : [],
      ),
    );
  }
}

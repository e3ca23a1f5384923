import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Command } from 'commander';

/** Which classes the commands were made of. */
@Injectable()
export class CommandClasses {
  constructor(private readonly discovery: DiscoveryService) {}

  /** nest-commander gives each runner the command that was made of it. */
  all(): ReadonlyMap<Command, Type> {
    const runners = this.discovery.getProviders().map(({ instance }) => instance as { command?: Command } | null);
    return new Map(
      runners.flatMap((runner) =>
        typeof runner === 'object' && runner?.command ? [[runner.command, runner.constructor as Type] as const] : [],
      ),
    );
  }
}

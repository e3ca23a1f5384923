import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SettingsService } from '../settings/settings.service.js';
import { LOG_LEVELS } from './log-entry.js';
import { LogsService } from './logs.service.js';
import type { LoggedLine, ProcessLogger } from './process-logger.js';
import { redactText, shortened } from './redact.js';

const LEVELS: Readonly<Record<LoggedLine['level'], number>> = {
  verbose: LOG_LEVELS.debug,
  debug: LOG_LEVELS.debug,
  log: LOG_LEVELS.info,
  warn: LOG_LEVELS.warn,
  error: LOG_LEVELS.error,
  fatal: LOG_LEVELS.error,
};

const MOST_TEXT = 10_000;

/** A shorter secret would also match ordinary words. */
const SHORTEST_SECRET = 4;

/** Statements are shown on the console only, because storing them would run more statements. */
const UNSTORED = 'SQL';

/** Stores what is logged through Nest's Logger, with the secrets of the settings removed. */
@Injectable()
export class ApplicationLog {
  constructor(
    private readonly logs: LogsService,
    private readonly settings: SettingsService,
    private readonly discovery: DiscoveryService,
  ) {}

  /**
   * Stores what this application logs. Nest's Logger writes to the application that was created last, so the loggers
   * that providers and controllers have as properties are tied to this one. Calls of the static `Logger.log`, or of a
   * logger in a variable, still go to the last application of the process.
   */
  follow(logger: ProcessLogger): void {
    logger.forwardTo((line) => this.add(line));
    for (const { instance } of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      if (typeof instance !== 'object' || instance === null) continue;
      for (const held of Object.values(instance)) {
        // A Logger asks this getter where to write, and there is no method to set it.
        if (held instanceof Logger) Object.defineProperty(held, 'localInstance', { value: logger });
      }
    }
  }

  add({ level, message, context, stack }: LoggedLine): void {
    if (context === UNSTORED || !this.logs.accepts(LEVELS[level])) return;
    const secrets = this.secrets();
    const data: Record<string, unknown> = { type: 'application', context: context ?? '' };
    if (stack) data['stack'] = redactText(shortened(stack, MOST_TEXT), secrets);
    this.logs.add({ level: LEVELS[level], message: redactText(shortened(message, MOST_TEXT), secrets), data });
  }

  private secrets(): string[] {
    const { smtp, s3, backups } = this.settings.get();
    return [smtp.password, s3.secret, backups.s3.secret].filter((secret) => secret.length >= SHORTEST_SECRET);
  }
}

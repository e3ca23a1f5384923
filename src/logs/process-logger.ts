import type { LoggerService, LogLevel } from '@nestjs/common';
import { ProcessConsole, type ProcessConsoleOptions } from './process-console.js';

/** One line that a logger was told. */
export interface LoggedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly context?: string;
  readonly stack?: string;
}

/**
 * The logger behind Nest's Logger: it writes to the console, which shows warnings and errors and in development
 * everything, or to a team's logger; after `forwardTo` it also passes all lines on.
 */
export class ProcessLogger extends ProcessConsole {
  private target: ((line: LoggedLine) => void) | undefined;
  private outlet: LoggerService | undefined;

  constructor({ dev, talk }: Pick<ProcessConsoleOptions, 'dev' | 'talk'>) {
    super({
      dev,
      talk,
      logLevels: dev ? ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'] : ['warn', 'error', 'fatal'],
    });
  }

  /** Hands every line over, also those the console does not show. Undefined ends it. */
  forwardTo(target: ((line: LoggedLine) => void) | undefined): void {
    this.target = target;
  }

  /**
   * What `app.useLogger` asks for: another logger instead of the console, other levels of it, or with false neither.
   */
  showOn(outlet: LoggerService | LogLevel[] | false): void {
    if (outlet === false || Array.isArray(outlet)) this.setLogLevels(outlet || []);
    this.outlet = outlet === false || Array.isArray(outlet) ? undefined : outlet;
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (this.outlet) tell(this.outlet, 'log', message, rest);
    else super.log(message, ...(rest as [string]));
    this.forward('log', message, rest);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (this.outlet) tell(this.outlet, 'error', message, rest);
    else super.error(message, ...(rest as [string]));
    this.forward('error', message, rest);
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    if (this.outlet) tell(this.outlet, 'warn', message, rest);
    else super.warn(message, ...(rest as [string]));
    this.forward('warn', message, rest);
  }

  override debug(message: unknown, ...rest: unknown[]): void {
    if (this.outlet) tell(this.outlet, 'debug', message, rest);
    else super.debug(message, ...(rest as [string]));
    this.forward('debug', message, rest);
  }

  override verbose(message: unknown, ...rest: unknown[]): void {
    if (this.outlet) tell(this.outlet, 'verbose', message, rest);
    else super.verbose(message, ...(rest as [string]));
    this.forward('verbose', message, rest);
  }

  override fatal(message: unknown, ...rest: unknown[]): void {
    if (this.outlet) tell(this.outlet, 'fatal', message, rest);
    else super.fatal(message, ...(rest as [string]));
    this.forward('fatal', message, rest);
  }

  /** Nest passes the context as the last argument, and the stack of an error before it. */
  private forward(level: LogLevel, message: unknown, rest: readonly unknown[]): void {
    if (!this.target) return;
    const texts = rest.filter((value): value is string => typeof value === 'string');
    const stack = texts.length > 1 ? texts[0] : undefined;
    const error = message instanceof Error ? message : undefined;
    this.target({
      level,
      message: error ? error.message : typeof message === 'string' ? message : (JSON.stringify(message) ?? ''),
      context: texts.at(-1),
      stack: stack ?? error?.stack,
    });
  }
}

/** Loggers need not know all levels. */
function tell(outlet: LoggerService, level: LogLevel, message: unknown, rest: readonly unknown[]): void {
  const write = outlet[level] ?? outlet.log;
  write.call(outlet, message, ...rest);
}

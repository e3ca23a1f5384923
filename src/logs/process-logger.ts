import { ConsoleLogger, type LogLevel } from '@nestjs/common';

/** One line that a logger was told. */
export interface LoggedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly context?: string;
  readonly stack?: string;
}

/**
 * Where Nest's loggers lead: the console, which shows warnings and errors and in development everything, and once
 * `forwardTo` was called somebody who keeps the lines.
 */
export class ProcessLogger extends ConsoleLogger {
  private target: ((line: LoggedLine) => void) | undefined;

  constructor(dev: boolean) {
    super({
      prefix: 'Roost',
      logLevels: dev ? ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'] : ['warn', 'error', 'fatal'],
    });
  }

  /** Hands every line over, also those the console does not show. Undefined ends it. */
  forwardTo(target: ((line: LoggedLine) => void) | undefined): void {
    this.target = target;
  }

  override log(message: unknown, ...rest: unknown[]): void {
    super.log(message, ...(rest as [string]));
    this.forward('log', message, rest);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    super.error(message, ...(rest as [string]));
    this.forward('error', message, rest);
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    super.warn(message, ...(rest as [string]));
    this.forward('warn', message, rest);
  }

  override debug(message: unknown, ...rest: unknown[]): void {
    super.debug(message, ...(rest as [string]));
    this.forward('debug', message, rest);
  }

  override verbose(message: unknown, ...rest: unknown[]): void {
    super.verbose(message, ...(rest as [string]));
    this.forward('verbose', message, rest);
  }

  override fatal(message: unknown, ...rest: unknown[]): void {
    super.fatal(message, ...(rest as [string]));
    this.forward('fatal', message, rest);
  }

  /** Nest puts the context last, and the stack of an error before it. */
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

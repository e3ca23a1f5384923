import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';
import { formatConsoleTime } from '../kernel/date-time.js';

/** Levels that go to stderr whatever runs. */
const COMPLAINTS: readonly (LogLevel | undefined)[] = ['warn', 'error', 'fatal'];

export interface ProcessConsoleOptions extends ConsoleLoggerOptions {
  readonly dev: boolean;
  /** Where all else goes. The stdout of a command is for its result, which may be kept in a file (OPS-163). */
  readonly talk?: 'stdout' | 'stderr';
}

/**
 * What the process tells whoever started it. Colours are for a terminal, and for development (OPS-88); a journal would
 * keep their codes.
 */
export class ProcessConsole extends ConsoleLogger {
  private readonly talk: 'stdout' | 'stderr';

  constructor({ dev, talk = 'stdout', ...options }: ProcessConsoleOptions) {
    super({ prefix: 'Roost', ...(!dev && !process.stderr.isTTY && { colors: false }), ...options });
    this.talk = talk;
  }

  protected override getTimestamp(): string {
    return formatConsoleTime(Date.now());
  }

  protected override printMessages(
    messages: unknown[],
    context?: string,
    level?: LogLevel,
    _stream?: 'stdout' | 'stderr',
    stack?: unknown,
    params?: Record<string, unknown>,
  ): void {
    super.printMessages(messages, context, level, COMPLAINTS.includes(level) ? 'stderr' : this.talk, stack, params);
  }
}

import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';
import { formatConsoleTime } from '../kernel/date-time.js';

/**
 * What the process tells whoever started it. It goes to stderr: stdout is for what a command was asked for, which may be
 * kept in a file (OPS-163). Colours are for a terminal, and for development (OPS-88); a journal would keep their codes.
 */
export class ProcessConsole extends ConsoleLogger {
  constructor(dev: boolean, options: ConsoleLoggerOptions = {}) {
    super({ prefix: 'Roost', ...(!dev && !process.stderr.isTTY && { colors: false }), ...options });
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
    super.printMessages(messages, context, level, 'stderr', stack, params);
  }
}

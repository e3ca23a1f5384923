import { inspect } from 'node:util';
import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';
import { formatConsoleTime } from '../kernel/date-time.js';
import { printableText } from '../kernel/printable-text.js';

/** Levels that go to stderr whatever runs. */
const COMPLAINTS: readonly (LogLevel | undefined)[] = ['warn', 'error', 'fatal'];

export interface ProcessConsoleOptions extends ConsoleLoggerOptions {
  readonly dev: boolean;
  /** Where all else goes. The stdout of a command is for its result, which may be kept in a file (OPS-163). */
  readonly talk?: 'stdout' | 'stderr';
}

/**
 * The output of the process. Colours are used on a terminal and in development only (OPS-88), because a log file would
 * contain their codes.
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
    const stream = COMPLAINTS.includes(level) ? 'stderr' : this.talk;
    super.printMessages(messages.map(printed), context, level, stream, printed(stack), params);
  }

  /** A stack begins with the message, which is printed already. */
  protected override printStackTrace(stack: string): void {
    super.printStackTrace(stack && inOneEntry(printableText(stack)));
  }
}

/** The message without control characters, with all lines after the first indented. */
function printed(message: unknown): unknown {
  if (typeof message === 'string') return inOneEntry(printableText(message));
  if (typeof message !== 'object' || message === null) return message;
  // Nest would print it with colours, including text that a client has sent.
  const shown = inspect(message, { colors: false });
  const safe = inOneEntry(printableText(shown));
  return safe === shown ? message : safe;
}

/** Indents further lines, so that text of a client cannot look like an entry. */
function inOneEntry(text: string): string {
  return text.replace(/\n(?=\S)/g, '\n  ');
}

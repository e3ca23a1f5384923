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
    const stream = COMPLAINTS.includes(level) ? 'stderr' : this.talk;
    super.printMessages(messages.map(printed), context, level, stream, printed(stack), params);
  }

  /** What follows an error begins with its message. */
  protected override printStackTrace(stack: string): void {
    super.printStackTrace(stack && inOneEntry(printableText(stack)));
  }
}

/** Whatever it is, with no control character in it, and with all that follows its first line set in below it. */
function printed(message: unknown): unknown {
  if (typeof message === 'string') return inOneEntry(printableText(message));
  if (typeof message !== 'object' || message === null) return message;
  // Shown with colours and more by Nest, unless what somebody sent would be shown with it.
  const shown = inspect(message, { colors: false });
  const safe = inOneEntry(printableText(shown));
  return safe === shown ? message : safe;
}

/** A line that somebody sent is not to look like one of ours. */
function inOneEntry(text: string): string {
  return text.replace(/\n(?=\S)/g, '\n  ');
}

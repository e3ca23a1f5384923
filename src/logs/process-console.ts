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
    const stream = COMPLAINTS.includes(level) ? 'stderr' : this.talk;
    super.printMessages(messages.map(withoutControls), context, level, stream, withoutControls(stack), params);
  }
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Texts may hold what a request said, which is not to move the cursor of a terminal, rewrite its title or turn the
 * direction of writing: such characters are shown by their number. Lines and tabs stay.
 */
function withoutControls(message: unknown): unknown {
  if (typeof message !== 'string') return message;
  return message.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

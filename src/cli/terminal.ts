import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { StartError } from '../config/start.error.js';
import { UsageError } from '../config/usage.error.js';
import { ProgressLine } from './progress-line.js';

/** Input and output of commands. */
@Injectable()
export class Terminal {
  /** A line on stdout. */
  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** A line on stderr. */
  warn(text: string): void {
    process.stderr.write(`Warning: ${text}\n`);
  }

  /** A line that shows how far long work is. */
  progress(): ProgressLine {
    return new ProgressLine(process.stderr);
  }

  /** The given password, or one that is typed without echo. Throws a UsageError when there is no terminal. */
  async password(given: string | undefined): Promise<string> {
    if (given !== undefined) return given;
    if (!process.stdin.isTTY) {
      throw new UsageError("Missing required argument 'pass'. Where there is a terminal it is asked for.");
    }
    return this.ask('Password: ', true);
  }

  /**
   * True for `y` or `yes`; anything else is a no, Ctrl+C and Ctrl+D as well. `answered` stands for `--yes`. Throws when
   * there is no terminal to ask at (OPS-187).
   */
  async confirm(question: string, answered = false): Promise<boolean> {
    if (answered) return true;
    if (!process.stdin.isTTY) throw new StartError('This needs a confirmation: run it in a terminal or with --yes.');
    const answer = await this.ask(`${question} (y/N) `, false).catch(noAnswer);
    return ['y', 'yes'].includes(answer.trim().toLowerCase());
  }

  private async ask(question: string, hidden: boolean): Promise<string> {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output: hidden ? silent : process.stdout, terminal: true });
    try {
      if (hidden) process.stdout.write(question);
      return await lines.question(hidden ? '' : question);
    } finally {
      lines.close();
      if (hidden) process.stdout.write('\n');
    }
  }
}

/** The error of an aborted question; it first moves the cursor to a new line. */
function noAnswer(error: unknown): string {
  if ((error as Error).name !== 'AbortError') throw error;
  process.stdout.write('\n');
  return '';
}

import { StartError } from './config/start.error.js';
import { UsageError } from './config/usage.error.js';
import { messageOf } from './kernel/errors/message-of.js';
import { ValidationError } from './kernel/errors/validation.error.js';
import type { RoostEnvironment } from './roost-options.js';

/** The environment of this process, with its arguments when a command is to be run. Only this function reads them. */
export function processEnvironment({ withArguments = false } = {}): RoostEnvironment {
  const argv = withArguments ? process.argv.slice(2) : [];
  return { argv, env: process.env, cwd: process.cwd(), program: process.argv[1] };
}

/** Silences messages that libraries print at every start. */
export function quietenLibraries(): void {
  // The S3 client warns at every start that it will require a newer Node some day.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
}

/** Prints a failure in one line. */
export function report(error: unknown): void {
  process.stderr.write(`Error: ${lineOf(error)}\n`);
  if (process.argv.includes('--dev') && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
}

/** The exit code of a failure (OPS-163). */
export function exitCode(error: unknown): number {
  return error instanceof UsageError || error instanceof StartError ? error.exitCode : 1;
}

function lineOf(error: unknown): string {
  return error instanceof ValidationError ? error.toLine() : messageOf(error);
}

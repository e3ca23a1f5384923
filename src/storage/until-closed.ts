import type { Writable } from 'node:stream';

/**
 * What a pipeline into a file comes to. One that fails does so before the file is closed, and maybe before it was opened:
 * then it would be there again after whoever gave up has removed it. This rejects afterwards.
 */
export async function untilClosed<Result>(file: Writable, piping: Promise<Result>): Promise<Result> {
  try {
    return await piping;
  } catch (error) {
    if (!file.closed) await new Promise((resolve) => file.once('close', resolve));
    throw error;
  }
}

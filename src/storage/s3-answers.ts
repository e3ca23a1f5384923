import type { IncomingMessage } from 'node:http';

/** How long an answer may take that is read as a whole, in milliseconds. */
export interface AnswerTimeouts {
  /** A refusal. */
  readonly refusal: number;
  /** Anything else: a store that copies an object or puts its parts together sends blanks for as long as it works. */
  readonly result: number;
}

/** Bytes: a page of a thousand keys fits, each as long as keys can be and with every character escaped. */
const MAX_SIZE = 16 * 1024 * 1024;

/**
 * Reads the answers that the SDK wants as a whole, such as lists and errors. One that is too long or too slow is an
 * error and its connection is closed; the SDK itself would read it without limit.
 */
export function answerCollector(patience: AnswerTimeouts): (answer: IncomingMessage) => Promise<Uint8Array> {
  return async (answer) => {
    const limit = answer.statusCode === 200 ? patience.result : patience.refusal;
    const timer = setTimeout(() => {
      answer.destroy(new S3AnswerError(`The store did not end its answer within ${limit / 1000} seconds.`));
    }, limit);
    try {
      return await collect(answer);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function collect(answer: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the stream.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_SIZE) throw new S3AnswerError(`The store answered with more than ${MAX_SIZE} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** An answer of a store that has no end. */
export class S3AnswerError extends Error {
  /** Without this the SDK would add a hint for programmers, and a status because of which it would retry. */
  readonly $metadata = {};
}

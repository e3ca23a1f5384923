// Plain JavaScript: programs that are started as processes of their own load it as well.

/** Answers that show what superusers ask the database itself, or that are files. */
const EXCEPTED = /^\/(?:api\/(?:sql|backups|files)|_\/)/;

/** Nobody sends a password after so much else. */
export const LONGEST_BODY = 256 * 1024;

/** Whether the answers of this address are none that may show secrets. */
export function isWatched(url) {
  return !EXCEPTED.test(url);
}

/**
 * Shows an observer what a request brings and what goes out as the answer to it, as it passes: before it is framed,
 * and whoever writes it, be it a framework or a stream that was hijacked from it.
 */
export function teeExchange(request, response, observer) {
  let asked = 0;
  const { push } = request;
  request.push = function (chunk, ...rest) {
    if (chunk && asked < LONGEST_BODY) observer.asked(Buffer.from(chunk));
    asked += chunk?.length ?? 0;
    return push.call(this, chunk, ...rest);
  };
  const { writeHead, write, end } = response;
  response.writeHead = function (...args) {
    const answer = writeHead.apply(this, args);
    // What is given here does not become part of what `getHeaders` knows.
    const headers = [this.getHeaders(), ...args.slice(1)];
    observer.head(JSON.stringify(headers), encodingOf(headers));
    return answer;
  };
  const tell = (chunk, encoding) => {
    if (typeof chunk === 'string') observer.told(Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8'));
    else if (chunk instanceof Uint8Array) observer.told(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  };
  response.write = function (...args) {
    tell(...args);
    return write.apply(this, args);
  };
  response.end = function (...args) {
    tell(...args);
    return end.apply(this, args);
  };
  response.once('close', () => observer.ended());
}

/** How the body is encoded, '' when it is not. Headers are objects, or names and values in turns. */
function encodingOf(headers) {
  const pairs = headers.flatMap((part) => (Array.isArray(part) ? part.flat() : Object.entries(part).flat()));
  const name = pairs.findIndex((text) => typeof text === 'string' && text.toLowerCase() === 'content-encoding');
  return name < 0 ? '' : String(pairs[name + 1]);
}

/** One part of a form: a file when it has a file name. */
export interface FormPart {
  readonly key: string;
  readonly content: string | Uint8Array;
  readonly fileName?: string;
  readonly type?: string;
}

export const BOUNDARY = 'roost-test-boundary';

export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** The bytes of a form, written by hand so that tests may send what no client would. */
export function multipartBody(parts: readonly FormPart[], end = `--${BOUNDARY}--\r\n`): Buffer {
  return Buffer.concat([...parts.flatMap(partBytes), Buffer.from(end)]);
}

function partBytes({ key, content, fileName, type }: FormPart): Buffer[] {
  const name = fileName === undefined ? '' : `; filename="${fileName}"`;
  const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${key}"${name}\r\n${kind}\r\n`;
  return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
}

import type { S3Client } from '@aws-sdk/client-s3';
import type { Upload } from '@aws-sdk/lib-storage';
import type { S3Settings } from '../settings/settings.js';
import { answerCollector } from './s3-answers.js';

/** The SDK, loaded when the first storage needs it: it takes some 25 MB that installations without S3 do not pay. */
export interface S3Library {
  readonly sdk: typeof import('@aws-sdk/client-s3');
  readonly Upload: typeof Upload;
}

/** How long the other side may take (FS-49), in milliseconds. */
export interface S3Timeouts {
  readonly connect: number;
  /** Without a byte in either direction. */
  readonly idle: number;
  /** Until the end of an answer that says no. */
  readonly refusal: number;
  /** Until the end of any other answer that is no file. */
  readonly result: number;
}

export const S3_TIMEOUTS: S3Timeouts = { connect: 5_000, idle: 30_000, refusal: 30_000, result: 300_000 };

/** Slow readers hold a connection each, so there must be more of them than readers one would expect. */
const MAX_CONNECTIONS = 500;

export async function loadS3Library(): Promise<S3Library> {
  const [sdk, { Upload: UploadClass }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
  ]);
  return { sdk, Upload: UploadClass };
}

/** A client for the store of the settings (FS-45, FS-46, FS-49). */
export function createS3Client({ sdk }: S3Library, settings: S3Settings, timeouts: S3Timeouts): S3Client {
  const { endpoint, region, accessKey, secret, forcePathStyle } = settings;
  return new sdk.S3Client({
    endpoint: /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`,
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secret },
    forcePathStyle,
    // Several compatible stores refuse the checksums the SDK would add by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    streamCollector: answerCollector(timeouts),
    requestHandler: {
      connectionTimeout: timeouts.connect,
      socketTimeout: timeouts.idle,
      httpAgent: { maxSockets: MAX_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_CONNECTIONS },
    },
  });
}

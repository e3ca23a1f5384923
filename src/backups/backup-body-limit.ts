import { Injectable } from '@nestjs/common';
import type { BodyLimit, BodyLimits } from '../http/body/body-limit.js';

/** A backup may be as large, and take as long, as it likes (OPS-34, OPS-37). */
@Injectable()
export class BackupBodyLimit implements BodyLimit {
  limits(): BodyLimits {
    return {
      maxBytes: Infinity,
      timeout: Infinity,
      part: (key) => (key === 'file' ? { maxBytes: Infinity, maxFiles: 1 } : null),
    };
  }
}

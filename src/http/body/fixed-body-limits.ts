import { Injectable } from '@nestjs/common';
import { type BodyLimit, type BodyLimits, DATA_JSON_LIMITS, DEFAULT_BODY_LIMITS } from './body-limit.js';

const SMALL: BodyLimits = { ...DEFAULT_BODY_LIMITS, maxBytes: 256 * 1024 };
const COLLECTION: BodyLimits = { ...DEFAULT_BODY_LIMITS, maxBytes: 16 * 1024 * 1024 };
const IMPORT: BodyLimits = { ...COLLECTION, json: DATA_JSON_LIMITS };

/** 256 KiB, for routes that need little: sign-ins, subscriptions, settings (OPS-34a). */
@Injectable()
export class SmallBodyLimit implements BodyLimit {
  limits(): BodyLimits {
    return SMALL;
  }
}

/** 16 MiB, for the definition of a collection (OPS-34a). */
@Injectable()
export class CollectionBodyLimit implements BodyLimit {
  limits(): BodyLimits {
    return COLLECTION;
  }
}

/** 16 MiB, for the definitions of many (OPS-34a). */
@Injectable()
export class ImportBodyLimit implements BodyLimit {
  limits(): BodyLimits {
    return IMPORT;
  }
}

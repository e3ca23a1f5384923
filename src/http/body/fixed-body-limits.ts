import { Injectable } from '@nestjs/common';
import { type BodyLimit, type BodyTerms, DATA_JSON_LIMITS, DEFAULT_BODY_TERMS } from './body-limit.js';

const SMALL: BodyTerms = { ...DEFAULT_BODY_TERMS, maxBytes: 256 * 1024 };
const COLLECTION: BodyTerms = { ...DEFAULT_BODY_TERMS, maxBytes: 16 * 1024 * 1024 };
const IMPORT: BodyTerms = { ...COLLECTION, json: DATA_JSON_LIMITS };

/** 256 KiB, for routes that need little: sign-ins, subscriptions, settings (OPS-34a). */
@Injectable()
export class SmallBodyLimit implements BodyLimit {
  terms(): BodyTerms {
    return SMALL;
  }
}

/** 16 MiB, for the definition of a collection (OPS-34a). */
@Injectable()
export class CollectionBodyLimit implements BodyLimit {
  terms(): BodyTerms {
    return COLLECTION;
  }
}

/** 16 MiB, for the definitions of many (OPS-34a). */
@Injectable()
export class ImportBodyLimit implements BodyLimit {
  terms(): BodyTerms {
    return IMPORT;
  }
}

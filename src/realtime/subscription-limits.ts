import { Injectable } from '@nestjs/common';

const MEBIBYTE = 1024 * 1024;

/** How much may be listened to (RT-84a). Tests lower it. */
@Injectable()
export class SubscriptionLimits {
  /** Bytes of the topics of one stream. */
  bytesPerStream = 4 * MEBIBYTE;
  /** Bytes of the topics of all streams. */
  bytes = 256 * MEBIBYTE;
  /** Questions about one delete that are decided before it, while others wait for their turn to write. */
  questionsBeforeDelete = 150;
}

import { Injectable } from '@nestjs/common';

const MEBIBYTE = 1024 * 1024;

/** How much may be listened to (RT-84a), and what telling of one change may take (OPS-39). Tests lower it. */
@Injectable()
export class SubscriptionLimits {
  /** Bytes of the topics of one stream. */
  bytesPerStream = 4 * MEBIBYTE;
  /** Bytes of the topics of all streams. */
  bytes = 256 * MEBIBYTE;
  /** What a topic takes besides its text, in bytes: its places in the sets of its stream and of the index. */
  bytesPerTopic = 700;
  /** Characters of the messages of one change that are made before they are written. */
  charactersAtOnce = 8 * MEBIBYTE;
  /** Questions about one delete that are decided before it, while others wait for their turn to write. */
  questionsBeforeDelete = 150;
  /** Bytes of their messages, which are kept until the commit, over all deletes. */
  bytesBeforeDelete = 16 * MEBIBYTE;
}

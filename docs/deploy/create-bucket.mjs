// Makes the bucket for files of records, unless it is there. Run it where Roost is installed: the client is Roost's.
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const { S3_BUCKET, S3_REGION, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET } = process.env;
const client = new S3Client({
  region: S3_REGION,
  endpoint: S3_ENDPOINT,
  forcePathStyle: true,
  credentials: { accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET },
});
try {
  await client.send(new HeadBucketCommand({ Bucket: S3_BUCKET }));
  console.log(`The bucket ${S3_BUCKET} is there.`);
} catch (error) {
  if (error.$metadata?.httpStatusCode !== 404) throw error;
  await client.send(new CreateBucketCommand({ Bucket: S3_BUCKET }));
  console.log(`The bucket ${S3_BUCKET} was made.`);
}

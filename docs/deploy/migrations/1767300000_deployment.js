// Tells a new installation, once, what instances behind a proxy need to know before the first of them serves: where files
// of records are, and who names the address of a client. Afterwards it is changed in the admin UI, under Settings.

/** @param {import('roost').MigrationApp} app */
export async function up(app) {
  const { APP_URL, S3_BUCKET, S3_REGION, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET } = process.env;
  await app.settings.patch({
    meta: { appURL: APP_URL },
    trustedProxy: { headers: ['X-Forwarded-For'], useLeftmostIP: false },
    s3: {
      enabled: true,
      bucket: S3_BUCKET,
      region: S3_REGION,
      endpoint: S3_ENDPOINT,
      accessKey: S3_ACCESS_KEY,
      secret: S3_SECRET,
      forcePathStyle: true,
    },
  });
}

/** @param {import('roost').MigrationApp} app */
export async function down(app) {
  await app.settings.patch({ trustedProxy: { headers: [] }, s3: { enabled: false } });
}

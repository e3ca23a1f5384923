/**
 * The process behind ImageProcess: reads and resizes images with libvips. Plain JavaScript without imports of ours,
 * because it is started as a file of its own, compiled or not.
 */
import sharp from 'sharp';

/** FS-85. */
const MAX_PIXELS = 100_000_000;

/** Seconds one image may take. */
const TIMEOUT = 30;

// Images are never seen twice, and several are made side by side already.
sharp.cache(false);
sharp.concurrency(1);

const HANDLERS = {
  async look({ path }) {
    const { format, width, height, channels, depth, isProgressive, orientation, autoOrient } =
      await open(path).metadata();
    return { format, width, height, channels, depth, isProgressive, orientation, autoOrient };
  },

  async resize({ path, to, format, size: { width, height, fit, position, enlarge } }) {
    const image = open(path)
      .autoOrient()
      .resize({ width, height, fit, position, withoutEnlargement: !enlarge })
      .timeout({ seconds: TIMEOUT });
    await encoded(image, format).toFile(to);
  },
};

function open(path) {
  return sharp(path, { limitInputPixels: MAX_PIXELS });
}

function encoded(image, format) {
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality: 90 });
    case 'png':
      return image.png();
    case 'gif':
      return image.gif();
    case 'webp':
      return image.webp({ quality: 85 });
    case 'heif':
      return image.avif({ quality: 60 });
    default:
      throw new Error(`Images of the format ${format} are not resized.`);
  }
}

process.on('message', ({ id, kind, ...request }) => {
  HANDLERS[kind](request).then(
    (result) => process.send({ id, result }),
    ({ message }) => process.send({ id, error: { message } }),
  );
});
// exit() would wait for images that are being resized.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
